import type { Database, Queryable, Transaction } from '../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'
import type { AddressPattern } from '../../../mail/address-pattern.ts'
import { newId } from '../../../platform/ids.ts'
import type { ErasedAddresses } from '../../emails/delivery/ledger/erased-addresses.ts'
import { cancelTaken, takeWaiting } from '../../emails/delivery/ledger/unsent.ts'
import { loadReceived, loadSent } from '../../inboxes/filing/load.ts'
import { peopleLines } from '../../inboxes/filing/people.ts'
import { searchText } from '../../inboxes/filing/search-document.ts'
import { removal } from '../../messages/index.ts'
import type { SearchedTable } from './catalogue.ts'
import { deleteRow, isNamed, type Outcome, redactRow } from './redact-row.ts'
import { deleteEventDeliveries, deleteTraces } from './remove-mail.ts'
import { type Key, type Row, readRow } from './scan.ts'

/** One row that names the address, and what is needed to do something about it. */
export interface Found {
  readonly db: Database
  readonly table: SearchedTable
  readonly key: Key
  readonly pattern: AddressPattern
  readonly erased: ErasedAddresses
  /** Keys of blobs that nothing names any more. */
  readonly loose: Set<string>
}

type Act = (found: Found) => Promise<Outcome>

/** What is done with a row that names the address. Tables that are not here: it is replaced in every column. */
export const actOn = (found: Found): Promise<Outcome> => (ACTS[found.table.name] ?? redact)(found)

const redact: Act = ({ db, table, key, pattern }) => db.transaction((trx) => redactRow(trx, table, { key, pattern }))

/** The row goes when one of these columns names the address; otherwise it is replaced. */
const dropNaming =
  (...columns: string[]): Act =>
  ({ db, table, key, pattern }) =>
    db.transaction(async (trx) => {
      const row = await readRow(trx, table, { key, lock: true })
      if (!row) return 'nothing'
      return isNamed(row, columns, pattern) ? deleteRow(trx, table, key) : redactRow(trx, table, { key, pattern })
    })

/** Keys are made up of whatever tells requests apart. */
const dropKey: Act = async ({ db, table, key, pattern }) => {
  const row = await readRow(db, table, { key })
  if (!row || !pattern.isInName(`${row.key}\n${row.response}`)) return 'nothing'
  return db.transaction((trx) => deleteRow(trx, table, key))
}

/** Mail with all that is kept of it. */
async function removeMail({ db, loose }: Found, team: string, id: string): Promise<Outcome> {
  for (const key of await blobsOf(db, team, id)) loose.add(key)
  const view = await db.forTeam(team, { share: 'jobs' })
  const andTheir = (trx: Transaction, gone: readonly string[]) => deleteTraces(trx, team, gone)
  const removed = await removal.removeSome({ db: view, andTheir }, team, [id])
  return removed > 0 ? 'deleted' : 'nothing'
}

export const blobsOf = async (db: Queryable, team: string, id: string): Promise<string[]> => {
  const rows = await db.query<{ key: string }>(sql`
    select blob as key from email_attachments where team_id = ${team} and email_id = ${id}
    union all select blob from submitted_messages where team_id = ${team} and email_id = ${id} and blob is not null
    union all select blob from received_attachments where team_id = ${team} and received_id = ${id}
    union all select raw_blob from received_emails where team_id = ${team} and id = ${id} and raw_blob is not null
    union all select f.blob from inbox_draft_attachments f where f.team_id = ${team} and f.draft_id = ${id}`)
  return rows.map(({ key }) => key)
}

/** A contact goes with its runs of automations; what its broadcasts counted stays. */
const dropContact: Act = async (found) => {
  const { db, table, key, pattern } = found
  const [team, id] = key as [string, string]
  return db.transaction(async (trx) => {
    const row = await readRow(trx, table, { key, lock: true })
    if (!row) return 'nothing'
    if (!pattern.isOf(row.email as string)) return redactRow(trx, table, { key, pattern })
    await trx.query(sql.write`delete from automation_runs where team_id = ${anyTeam(team)} and contact_id = ${id}`)
    return deleteRow(trx, table, key)
  })
}

interface Recipient {
  readonly position: number
  readonly recipient: string
  readonly state: string
  readonly isHeld: boolean
}

/** One recipient of an email: the only one takes it along, others are written to as before. */
const dropRecipient: Act = async (found) => {
  const { db, table, key, pattern } = found
  const [team, email, position] = key as [string, string, string]
  const recipients = await db.query<Recipient>(sql`
    select d.position, d.recipient, d.state, d.holder is not null as "isHeld" from deliveries d
    where d.team_id = ${team} and d.email_id = ${email} order by d.position`)
  if (recipients.length === 0) return 'nothing'
  if (recipients.every(({ recipient }) => pattern.isOf(recipient))) {
    const outcome = await removeMail(found, team, email)
    // The row of an email may be gone without its recipients, as when its period is dropped before theirs.
    if (outcome !== 'nothing') return outcome
  }
  const own = recipients.find((one) => String(one.position) === position)
  if (own === undefined) return 'nothing'
  // Whoever delivers it would write the address down once more.
  if (own.isHeld) return 'pending'
  const now = db.clock.of(team).now()
  return db.transaction(async (trx) => {
    if (own.state === 'waiting' && pattern.isOf(own.recipient)) {
      const canceled = await trx.query(sql.write`
        update deliveries set state = 'canceled', settled_at = ${now}, suspended_at = null, hold_id = null, parked_for = null
        where team_id = ${team} and email_id = ${email} and position = ${own.position} and state = 'waiting' and holder is null
        returning 1`)
      if (canceled.length === 0) return 'pending'
    }
    return redactRow(trx, table, { key, pattern })
  })
}

const mailboxes = (value: Row[string] | undefined): string[] => [JSON.parse((value as string | null) ?? '[]')].flat()

const redactEmail: Act = async (found) => {
  const { db, table, key, pattern, loose } = found
  const [team, id] = key as [string, string]
  const row = await readRow(db, table, { key })
  if (!row) return 'nothing'
  const recipients = [row.to, row.cc, row.bcc].flatMap(mailboxes)
  if (recipients.length > 0 && recipients.every((one) => pattern.isOf(one))) return removeMail(found, team, id)
  return db.transaction(async (trx) => {
    if (pattern.isOf(row.from as string) && !(await cancelUnsent(trx, team, id))) return 'pending'
    const outcome = await redactRow(trx, table, { key, pattern })
    return (await dropSubmitted(trx, team, id, loose)) ? outcome : 'pending'
  })
}

/** What the person would be the sender of is not sent: nobody may write in the name of `erased@erased.invalid`. False: it is being sent. */
async function cancelUnsent(trx: Transaction, team: string, id: string): Promise<boolean> {
  const { taken, all, held } = await takeWaiting(trx, team, id)
  if (held > 0) return false
  const now = trx.clock.of(team).now()
  if (taken > 0) await cancelTaken(trx, team, { id, now, isWhole: taken === all })
  return true
}

const redactBodies: Act = async ({ db, table, key, pattern, loose }) => {
  const [team, id] = key as [string, string]
  return db.transaction(async (trx) => {
    const outcome = await redactRow(trx, table, { key, pattern })
    return (await dropSubmitted(trx, team, id, loose)) ? outcome : 'pending'
  })
}

/**
 * The message as it was submitted names people in ways that no search finds (base64). It has left, and what the API shows is kept besides. False: it
 * is still to leave for somebody, byte for byte.
 */
export async function dropSubmitted(
  trx: Transaction,
  team: string,
  email: string,
  loose: Set<string>,
): Promise<boolean> {
  const own = sql`team_id = ${anyTeam(team)} and email_id = ${email}`
  const [row] = await trx.query<{ isWaiting: boolean }>(sql`
    select exists (select from deliveries d where d.team_id = m.team_id and d.email_id = m.email_id and d.state = 'waiting') as "isWaiting"
    from submitted_messages m where m.${own}`)
  if (row === undefined) return true
  if (row.isWaiting) return false
  const gone = await trx.query<{ blob: string | null }>(sql.write`
    delete from submitted_messages where ${own} returning blob`)
  for (const { blob } of gone) if (blob !== null) loose.add(blob)
  return true
}

export const redactSubmitted: Act = ({ db, table, key, pattern, loose }) => {
  const [team, id] = key as [string, string]
  return db.transaction(async (trx) => {
    if (await dropSubmitted(trx, team, id, loose)) return 'deleted'
    await redactRow(trx, table, { key, pattern })
    return 'pending'
  })
}

/** A message from the person, or for nobody else, goes; in another one the address is replaced. */
const redactReceived: Act = async (found) => {
  const { db, table, key, pattern } = found
  const [team, id] = key as [string, string]
  const row = await readRow(db, table, { key, more: ['read_at'] })
  if (!row) return 'nothing'
  const receivedFor = mailboxes(row.received_for)
  const isOwn =
    pattern.isOf(row.from as string) ||
    pattern.isOf(row.envelope_from as string) ||
    (receivedFor.length > 0 && receivedFor.every((one) => pattern.isOf(one)))
  if (isOwn) return removeMail(found, team, id)
  // It is being read, and would be written down once more.
  if (row.read_at === null) return 'pending'
  return db.transaction(async (trx) => {
    await dropRaw(trx, team, id, found.loose)
    return redactRow(trx, table, { key, pattern })
  })
}

const redactReceivedBodies: Act = ({ db, table, key, pattern, loose }) => {
  const [team, id] = key as [string, string]
  return db.transaction(async (trx) => {
    await dropRaw(trx, team, id, loose)
    return redactRow(trx, table, { key, pattern })
  })
}

/** The message as it arrived: what was read from it is kept besides. */
export async function dropRaw(trx: Transaction, team: string, id: string, loose: Set<string>) {
  await trx.query(sql.write`delete from received_raws where team_id = ${anyTeam(team)} and received_id = ${id}`)
  const rows = await trx.query<{ key: string }>(sql.write`
    with loose as (
      update received_emails e set raw_blob = null from received_emails known
      where e.team_id = ${anyTeam(team)} and e.id = ${id} and e.raw_blob is not null and known.team_id = e.team_id and known.id = e.id
      returning known.raw_blob as key)
    insert into loose_blobs (key, noted_at) select key, ${trx.clock.now()}::timestamptz from loose on conflict (key) do nothing
    returning key`)
  for (const { key } of rows) loose.add(key)
}

export const dropReceivedRaw: Act = ({ db, key, loose }) => {
  const [team, id] = key as [string, string]
  return db.transaction(async (trx) => {
    const [row] = await trx.query<{ isRead: boolean }>(sql`
      select e.read_at is not null as "isRead" from received_emails e where e.team_id = ${team} and e.id = ${id}`)
    if (row && !row.isRead) return 'pending'
    await dropRaw(trx, team, id, loose)
    return 'deleted'
  })
}

/** An event about mail that others have, too, stays without the address; any other goes, with what webhooks were told. */
const redactEvent: Act = ({ db, table, key, pattern }) => {
  const [team, id] = key as [string, string]
  return db.transaction(async (trx) => {
    const row = await readRow(trx, table, { key, lock: true, more: ['about'] })
    if (!row) return 'nothing'
    if (row.about !== null) return redactRow(trx, table, { key, pattern })
    await deleteEventDeliveries(trx, team, [id])
    return deleteRow(trx, table, key)
  })
}

/** A draft for nobody else goes; from others the recipient is taken. */
const redactDraft: Act = ({ db, table, key, pattern, loose }) =>
  db.transaction(async (trx) => {
    const [team, id] = key as [string, string]
    const files = await blobsOf(trx, team, id)
    const row = await readRow(trx, table, { key, lock: true })
    if (!row) return 'nothing'
    const fields = ['to', 'cc', 'bcc'].map((name) => mailboxes(row[name]))
    if (fields.flat().length > 0 && fields.flat().every((one) => pattern.isOf(one))) {
      for (const file of files) loose.add(file)
      return deleteRow(trx, table, key)
    }
    const [to, cc, bcc] = fields.map((some) => JSON.stringify(some.filter((one) => !pattern.isOf(one))))
    await trx.query(sql.write`
      update inbox_drafts set "to" = case when "to" is not null then ${to}::jsonb end, cc = ${cc}::jsonb, bcc = ${bcc}::jsonb
      where team_id = ${team} and id = ${id}`)
    await redactRow(trx, table, { key, pattern })
    return 'redacted'
  })

/** A message in an inbox is written anew from its email, which does not name the address any more. */
const redactFiled: Act = ({ db, table, key, pattern }) =>
  db.transaction(async (trx) => {
    const [team, inbox, id] = key as [string, string, string]
    const outcome = await redactRow(trx, table, { key, pattern })
    const [mail] = [...(await loadReceived(trx, team, [id])), ...(await loadSent(trx, team, [id]))]
    if (!mail) return outcome
    // Not changed yet: its turn in this pass is over, and in the next one this is redacted.
    if (pattern.isIn(JSON.stringify(mail))) return 'pending'
    await trx.query(sql.write`
      update inbox_messages set people = ${peopleLines(mail)}, search = ${searchText({ ...mail, inbox })}::tsvector
      where team_id = ${team} and inbox_id = ${inbox} and id = ${id}`)
    await trx.query(sql.write`
      delete from inbox_subjects where team_id = ${team} and inbox_id = ${inbox} and email_id = ${id}`)
    return outcome
  })

/** An address on the suppression list stays there as a digest. */
const hideSuppression: Act = ({ db, table, key, pattern, erased }) =>
  db.transaction(async (trx) => {
    const [team, id] = key as [string, string]
    const row = await readRow(trx, table, { key, lock: true })
    if (!row || !pattern.isOf(row.email as string)) return 'nothing'
    const name = erased.nameOf(row.email as string)
    const [known] = await trx.query(sql`select 1 from suppressions where team_id = ${team} and lower(email) = ${name}`)
    if (known) return deleteRow(trx, table, key)
    await trx.query(sql.write`update suppressions set email = ${name} where team_id = ${team} and id = ${id}`)
    return 'redacted'
  })

/** Nobody writes to them again, whether they were on the list before or not. */
export async function suppressErased(trx: Transaction, team: string, name: string) {
  const clock = trx.clock.of(team)
  await trx.query(sql.write`
    insert into suppressions (team_id, id, email, origin, source_id, created_at)
    values (${team}, ${newId(clock)}, ${name}, 'manual', null, ${clock.now()}) on conflict (team_id, lower(email)) do nothing`)
}

const ACTS: Readonly<Record<string, Act>> = {
  approval_notices: dropNaming('approver'),
  contact_import_errors: dropNaming('value', 'record'),
  contacts: dropContact,
  deliveries: dropRecipient,
  email_bodies: redactBodies,
  emails: redactEmail,
  idempotency_keys: dropKey,
  inbox_drafts: redactDraft,
  inbox_messages: redactFiled,
  inbox_people: dropNaming('address', 'folded'),
  invitations: dropNaming('email'),
  jobs: dropNaming('payload'),
  known_senders: dropNaming('address'),
  outbox: redactEvent,
  received_bodies: redactReceivedBodies,
  received_emails: redactReceived,
  received_raws: dropReceivedRaw,
  sign_in_links: dropNaming('email'),
  submitted_messages: redactSubmitted,
  suppressions: hideSuppression,
}

/** First what takes other rows along; last what is made from others. */
const FIRST = ['contacts', 'deliveries', 'received_emails', 'emails', 'email_bodies', 'received_bodies']
const LAST = [
  ...['inbox_messages', 'outbox', 'jobs', 'search_documents', 'email_documents', 'received_documents'],
  ...['request_logs', 'audit_events'],
]

export const inOrder = (tables: readonly SearchedTable[]): SearchedTable[] => {
  const placeOf = ({ name }: SearchedTable) =>
    FIRST.includes(name) ? FIRST.indexOf(name) - FIRST.length : LAST.includes(name) ? LAST.indexOf(name) + 1 : 0
  return [...tables].sort((a, b) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1))
}
