import { randomBytes } from 'node:crypto'
import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Actor, isInDashboard } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { record } from '../../kernel/outbox/record.ts'
import { comparableAddress, domainOf, isAddress } from '../../mail/address.ts'
import { isId } from '../../platform/ids.ts'
import { hostName, keepsMail } from '../../platform/settings/config.ts'
import { findReceiver, findSender } from '../domains/index.ts'
import { deleteInboxRemains } from './jobs.ts'
import { deleteInbox, findInbox, type InboxName, insertInbox, type StoredInbox, updateInbox } from './queries.ts'
import type { CreateInbox, Source, UpdateInbox } from './schema.ts'
import type { InboxesServices } from './services.ts'

export type { StoredInbox } from './queries.ts'

/** The inbox that a path names, by its id or its address. */
export const requireInbox = async (db: Queryable, team: string, text: string): Promise<StoredInbox> =>
  found(await findInbox(db, team, inboxNamed(text)), 'Inbox')

function inboxNamed(text: string): InboxName {
  if (isId(text)) return { id: text }
  if (isAddress(text)) return { address: text }
  throw new Problem('invalid_parameter', 'The `inbox` must be a valid UUID or an email address.')
}

/** Who did it, for events: somebody in the dashboard, or a program. */
export const sourceOf = (actor: Actor): Extract<Source, 'api' | 'dashboard'> =>
  isInDashboard(actor) ? 'dashboard' : 'api'

export async function addInbox(
  services: InboxesServices,
  actor: Actor,
  body: Static<typeof CreateInbox>,
): Promise<StoredInbox> {
  const { team } = actor
  const email_address = comparableAddress(body.email_address)
  const domain_id = await requireMailDomain(services, team, {
    name: domainOf(email_address),
    isForwarding: body.forwarding ?? false,
  })
  return services.db.transaction(async (trx) => {
    const inbox = await insertInbox(trx, team, {
      name: body.name ?? email_address.slice(0, email_address.lastIndexOf('@')),
      email_address,
      domain_id,
      receiving_address: body.forwarding
        ? `inbox-${randomBytes(12).toString('hex')}@${hostName(services.config)}`
        : null,
      from_name: body.from_name ?? null,
    })
    if (!inbox)
      throw new Problem('validation_error', 'Invalid `email_address` field. An inbox with this address already exists.')
    await record(trx, team, 'inbox.created', [inboxEvent(actor, inbox)])
    return inbox
  })
}

/** The id of the team's domain. Mail must reach it, unless another server forwards it, or nothing leaves and all mail comes here. */
async function requireMailDomain(
  { db, config }: InboxesServices,
  team: string,
  { name, isForwarding }: { readonly name: string; readonly isForwarding: boolean },
) {
  const domain = await findSender(db, team, name)
  if (!domain)
    throw new Problem('validation_error', `Invalid \`email_address\` field. \`${name}\` is not a domain of this team.`)
  if (isForwarding || keepsMail(config, team)) return domain.id
  const receiver = await findReceiver(db, name)
  if (receiver?.team === team && receiver.isReceiving) return domain.id
  throw new Problem(
    'validation_error',
    `Invalid \`email_address\` field. The \`${name}\` domain does not receive: enable and verify receiving, or set \`forwarding\`.`,
  )
}

export async function changeInbox(
  { db }: InboxesServices,
  actor: Actor,
  text: string,
  body: Static<typeof UpdateInbox>,
): Promise<string> {
  const { team } = actor
  return db.transaction(async (trx) => {
    const { id } = await requireInbox(trx, team, text)
    const changed = await updateInbox(trx, team, id, body)
    if (changed) await record(trx, team, 'inbox.updated', [inboxEvent(actor, changed)])
    return id
  })
}

/** Its mail stays among the received and the sent emails. What was filed goes later, and nobody finds it meanwhile. */
export async function removeInbox({ db }: InboxesServices, actor: Actor, text: string): Promise<string> {
  const { team } = actor
  return db.transaction(async (trx) => {
    const { id } = await requireInbox(trx, team, text)
    await deleteInbox(trx, team, id)
    await enqueue(trx, deleteInboxRemains, { team, inbox: id })
    await record(trx, team, 'inbox.deleted', [{ source: sourceOf(actor), inbox_id: id }])
    return id
  })
}

const inboxEvent = (actor: Actor, inbox: StoredInbox) => ({ source: sourceOf(actor), inbox_id: inbox.id, inbox })
