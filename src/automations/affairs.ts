import { turnsOf } from '../platform/group-by.ts'
import type { Batch } from './batch.ts'
import type { Effects } from './effects.ts'
import type { Happening } from './happenings.ts'
import type { Starter } from './runs.ts'

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

/** The first of each contact, then the second of each, and so on. */
export const roundsOf = (affairs: readonly Affair[]): Affair[][] => turnsOf(affairs, ({ contactId }) => contactId)

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
