import { groupBy } from '../../../platform/group-by.ts'
import type { Batch } from './batch.ts'
import type { Effects } from './effects.ts'
import type { Happening } from './happenings.ts'
import type { Run, Starter } from './runs.ts'

/** Something that happened, for one contact. */
export interface Affair {
  readonly happening: Happening
  readonly contactId: string
}

/**
 * Whom each event is about, as far as it concerns anybody. An address that is no contact becomes one if the event starts a run; to
 * those who wait it cannot matter.
 */
export async function byContact(
  batch: Batch,
  happenings: readonly Happening[],
  starters: readonly Starter[],
): Promise<Affair[]> {
  const { trx, team, effects } = batch
  const started = new Set(starters.map(({ triggerEvent }) => triggerEvent))
  const events = happenings.flatMap((one) => (one.kind === 'event' ? [one.event] : []))
  const wanted = {
    ids: [...new Set(events.flatMap(({ contactId }) => contactId ?? []))],
    emails: [...new Set(events.flatMap(({ emails }) => emails.map(lower)))],
  }
  const known = new Map<string, string>()
  const note = (contacts: Awaited<ReturnType<Effects['findContacts']>>) => {
    for (const contact of contacts) {
      batch.contacts.set(contact.id, contact)
      known.set(lower(contact.email), contact.id)
      known.set(contact.id, contact.id)
    }
  }
  note(await effects.findContacts(trx, team, wanted))
  const missing = events
    .filter(({ name, makesContacts }) => makesContacts && started.has(name))
    .flatMap(({ emails }) => emails)
    .filter((email) => !known.has(lower(email)))
  if (missing.length > 0) note(await effects.addContacts(trx, team, [...new Set(missing)]))
  return happenings.flatMap((happening): Affair[] => {
    if (happening.kind === 'due') return [{ happening, contactId: happening.run.contactId }]
    const { contactId, emails } = happening.event
    const ids = [contactId, ...emails.map(lower)].map((key) => (key === null ? undefined : known.get(key)))
    return [...new Set(ids.filter((id) => id !== undefined))].map((id) => ({ happening, contactId: id }))
  })
}

const lower = (email: string) => email.toLowerCase()

/** What is to be dealt with for each contact, in the order of time. */
export class ContactQueues {
  readonly #queues: Map<string, Affair[]>

  constructor(affairs: readonly Affair[]) {
    this.#queues = groupBy(affairs, ({ contactId }) => contactId)
  }

  /** The first of each contact. */
  next(): Affair[] {
    return [...this.#queues].map(([contactId, queue]) => {
      const first = queue.shift()!
      if (queue.length === 0) this.#queues.delete(contactId)
      return first
    })
  }

  /**
   * A run that was taken up late may be due again before the next event of its contact came: then that is next. What is due after the
   * last one is for the next batch, where it is in order with whatever comes behind this one.
   */
  addDue(runs: Iterable<Run>) {
    for (const run of runs) {
      const queue = this.#queues.get(run.contactId)
      const at = run.dueAt
      if (!queue || !at) continue
      const place = queue.findIndex(({ happening }) => isAfter(happening, at))
      if (place >= 0) queue.splice(place, 0, { happening: { kind: 'due', at, run }, contactId: run.contactId })
    }
  }
}

/** Of one moment, what was due comes first. */
const isAfter = ({ kind, at }: Happening, moment: Date) =>
  at.getTime() > moment.getTime() || (kind === 'event' && at.getTime() === moment.getTime())

/**
 * An event of a contact that a step of this batch has deleted is for the next batch: there its address is nobody's, or becomes another
 * contact.
 */
export function parted(batch: Batch, round: readonly Affair[]) {
  const isThere = ({ happening, contactId }: Affair) =>
    happening.kind === 'due' || batch.contacts.get(contactId) !== null
  const later = round.flatMap((affair) =>
    !isThere(affair) && affair.happening.kind === 'event' && affair.happening.event.makesContacts
      ? [affair.happening.event]
      : [],
  )
  return { now: round.filter(isThere), later }
}
