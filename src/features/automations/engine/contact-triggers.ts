import { groupBy } from '../../../platform/group-by.ts'
import type { Batch } from './batch.ts'
import type { Effects } from './effects.ts'
import type { Run, Starter } from './runs.ts'
import type { Trigger } from './triggers.ts'

/** A trigger, for one of the contacts that it concerns. */
export interface ContactTrigger {
  readonly trigger: Trigger
  readonly contactId: string
}

/**
 * Whom each event is about, as far as it concerns anybody. An address that is no contact becomes one if the event starts a run; to
 * those who wait it cannot matter.
 */
export async function byContact(
  batch: Batch,
  triggers: readonly Trigger[],
  starters: readonly Starter[],
): Promise<ContactTrigger[]> {
  const { trx, team, effects } = batch
  const started = new Set(starters.map(({ triggerEvent }) => triggerEvent))
  const events = triggers.flatMap((one) => (one.kind === 'event' ? [one.event] : []))
  const wanted = {
    ids: [...new Set(events.flatMap(({ contactId }) => contactId ?? []))],
    emails: [...new Set(events.flatMap(({ emails }) => emails.map(lower)))],
  }
  const known = new Map<string, string>()
  const remember = (contacts: Awaited<ReturnType<Effects['findContacts']>>) => {
    for (const contact of contacts) {
      batch.contacts.set(contact.id, contact)
      known.set(lower(contact.email), contact.id)
      known.set(contact.id, contact.id)
    }
  }
  remember(await effects.findContacts(trx, team, wanted))
  const missing = events
    .filter(({ name, makesContacts }) => makesContacts && started.has(name))
    .flatMap(({ emails }) => emails)
    .filter((email) => !known.has(lower(email)))
  if (missing.length > 0) remember(await effects.addContacts(trx, team, [...new Set(missing)]))
  return triggers.flatMap((trigger): ContactTrigger[] => {
    if (trigger.kind === 'due') return [{ trigger, contactId: trigger.run.contactId }]
    const { contactId, emails } = trigger.event
    const ids = [contactId, ...emails.map(lower)].map((key) => (key === null ? undefined : known.get(key)))
    return [...new Set(ids.filter((id) => id !== undefined))].map((id) => ({ trigger, contactId: id }))
  })
}

const lower = (email: string) => email.toLowerCase()

/** What is to be dealt with for each contact, in the order of time. */
export class ContactQueues {
  readonly #queues: Map<string, ContactTrigger[]>

  constructor(contactTriggers: readonly ContactTrigger[]) {
    this.#queues = groupBy(contactTriggers, ({ contactId }) => contactId)
  }

  /** The first of each contact. */
  next(): ContactTrigger[] {
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
      const index = queue.findIndex(({ trigger }) => isAfter(trigger, at))
      if (index >= 0) queue.splice(index, 0, { trigger: { kind: 'due', at, run }, contactId: run.contactId })
    }
  }
}

/** Of one moment, what was due comes first. */
const isAfter = ({ kind, at }: Trigger, moment: Date) =>
  at.getTime() > moment.getTime() || (kind === 'event' && at.getTime() === moment.getTime())

/**
 * An event of a contact that a step of this batch has deleted is for the next batch: there its address is nobody's, or becomes another
 * contact.
 */
export function splitDeleted(batch: Batch, round: readonly ContactTrigger[]) {
  const isThere = ({ trigger, contactId }: ContactTrigger) =>
    trigger.kind === 'due' || batch.contacts.get(contactId) !== null
  const later = round.flatMap((one) =>
    !isThere(one) && one.trigger.kind === 'event' && one.trigger.event.makesContacts ? [one.trigger.event] : [],
  )
  return { now: round.filter(isThere), later }
}
