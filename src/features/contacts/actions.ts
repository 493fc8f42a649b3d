import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { type EventType, record } from '../../kernel/outbox/record.ts'
import { isAddress } from '../../mail/address.ts'
import { isId } from '../../platform/ids.ts'
import { resolveProperties } from '../contact-properties/index.ts'
import { requireWithinLimit } from '../limits.ts'
import { requireSegments } from '../segments/index.ts'
import type { SegmentWord } from '../segments/schema.ts'
import { requireTopics } from '../topics/index.ts'
import {
  addToSegments,
  type ContactRef,
  contactEvents,
  deleteContacts,
  findContact,
  insertContacts,
  isContact,
  lockContact,
  setTopics,
  type Upserted,
  updateContact,
  upsertContact,
} from './queries.ts'
import { type CreateContact, type SegmentIds, type TopicChoice, UpdateContact } from './schema.ts'
import type { ContactsServices } from './services.ts'

/** The contact that `:idOrEmail` of a path names. */
export function contactNamed(idOrEmail: string): ContactRef {
  if (isId(idOrEmail)) return { id: idOrEmail }
  if (isAddress(idOrEmail)) return { email: idOrEmail }
  throw new Problem('invalid_parameter', 'The `id` must be a valid UUID or an email address.')
}

/** The contact of the older API: one that is in the audience. */
export const contactInAudience = (idOrEmail: string, audience: string): ContactRef => ({
  ...contactNamed(idOrEmail),
  audience,
})

export const idsOfSegments = (segments: Static<typeof SegmentIds> = []) =>
  segments.map((segment) => (typeof segment === 'string' ? segment : segment.id))

/** Adds a contact. An address that is known keeps its contact: what is given now is added to it, and its id is the answer. */
export function addContact(
  services: ContactsServices,
  { team }: Actor,
  {
    segments,
    word,
    ...body
  }: Omit<Static<typeof CreateContact>, 'segments'> & {
    readonly segments: readonly string[]
    readonly word?: SegmentWord
  },
): Promise<string> {
  return services.db.transaction(async (trx) => {
    const { email, properties, topics = [], ...rest } = body
    await requireSegments(trx, team, segments, word)
    await requireTopics(
      trx,
      team,
      topics.map(({ id }) => id),
    )
    const { set } = await resolveProperties(trx, team, properties)
    const contact = await upsertContact(trx, team, { email, ...rest }, set)
    const { id, isNew } = contact
    if (isNew) await requireWithinLimit(services, trx, team, 'contacts')
    const joined = segments.length > 0 ? await addToSegments(trx, team, [id], segments) : []
    const chosen = topics.length > 0 ? await setTopics(trx, team, [id], topics) : 0
    await recordUpserted(trx, team, { ...contact, isChanged: contact.isChanged || joined.length > 0 })
    if (!isNew && chosen > 0) await recordTopics(trx, team, { email, topics })
    return id
  })
}

interface ContactChange {
  readonly contact: ContactRef
  readonly body: Static<typeof UpdateContact>
}

export const changeContact = ({ db }: ContactsServices, { team }: Actor, change: ContactChange): Promise<string> =>
  db.transaction((trx) => changeContactIn(trx, team, change))

/** The same inside of a transaction. */
export async function changeContactIn(
  trx: Transaction,
  team: string,
  { contact, body }: ContactChange,
): Promise<string> {
  const id = found(await lockContact(trx, team, contact), 'Contact')
  const { properties, ...changes } = fieldsOf(UpdateContact, body)
  if (changes.email !== undefined) await requireFreeAddress(trx, team, { id, email: changes.email })
  const resolved = await resolveProperties(trx, team, properties)
  const isChanged = await updateContact(trx, team, { id, changes, properties: resolved })
  if (isChanged) await recordContacts(trx, team, 'contact.updated', [id])
  return id
}

export function removeContact(
  { db }: ContactsServices,
  { team }: Actor,
  contact: ContactRef,
): Promise<string | undefined> {
  return db.transaction(async (trx) => {
    const id = await lockContact(trx, team, contact)
    if (id) await removeContacts(trx, team, [id])
    return id
  })
}

export async function removeContacts(trx: Transaction, team: string, ids: readonly string[]) {
  await recordContacts(trx, team, 'contact.deleted', ids)
  await deleteContacts(trx, team, ids)
}

/** Makes contacts of those addresses that are none yet. */
export async function addAddresses(trx: Transaction, team: string, emails: readonly string[]) {
  await recordContacts(trx, team, 'contact.created', await insertContacts(trx, team, emails))
}

/** Those that were in the segment before are as they were. */
export async function joinSegment(trx: Transaction, team: string, segment: string, contacts: readonly string[]) {
  await recordContacts(trx, team, 'contact.updated', await addToSegments(trx, team, contacts, [segment]))
}

export async function recordContacts(trx: Transaction, team: string, type: EventType, ids: readonly string[]) {
  if (ids.length > 0) await record(trx, team, type, await contactEvents(trx, team, ids))
}

type TopicChoices = readonly Static<typeof TopicChoice>[]

/** What else a client has written beside them is neither answered nor told. */
export const plainChoices = (given: TopicChoices): Static<typeof TopicChoice>[] =>
  given.map(({ id, subscription }) => ({ id, subscription }))

export const recordTopics = (trx: Transaction, team: string, of: { email: string; topics: TopicChoices }) =>
  record(trx, team, 'contact.topics.updated', [{ email: of.email, topics: plainChoices(of.topics) }])

/** It exists and belongs to the team. */
export async function requireContact(db: Queryable, team: string, id: string) {
  found(await isContact(db, team, id), 'Contact')
}

/** What is as it was is no event. */
async function recordUpserted(trx: Transaction, team: string, { id, isNew, isChanged }: Upserted) {
  if (isNew || isChanged) await recordContacts(trx, team, isNew ? 'contact.created' : 'contact.updated', [id])
}

/** Sets the preferences of an address. Who is not a contact becomes one: preferences are stored with a contact. */
export async function setPreferences(
  trx: Transaction,
  team: string,
  values: { readonly email: string; readonly unsubscribed?: boolean },
  topics: TopicChoices,
): Promise<void> {
  const contact = await upsertContact(trx, team, values, {})
  await recordUpserted(trx, team, contact)
  const chosen = topics.length > 0 ? await setTopics(trx, team, [contact.id], topics) : 0
  if (chosen > 0) await recordTopics(trx, team, { email: values.email, topics })
}

async function requireFreeAddress(trx: Transaction, team: string, { id, email }: { id: string; email: string }) {
  const owner = await findContact(trx, team, { email })
  if (owner && owner.id !== id)
    throw new Problem('validation_error', 'Invalid `email` field. Another contact has this address.')
}

export const findContactId = async (db: Queryable, team: string, contact: ContactRef): Promise<string | undefined> =>
  (await findContact(db, team, contact))?.id
