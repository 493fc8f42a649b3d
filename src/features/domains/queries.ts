import type { Static } from 'typebox'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, insertion, newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { toAsciiDomain } from '../../mail/address.ts'
import type { HostedMode } from '../../mail/hosted-policy.ts'
import { isSandbox } from '../../platform/ids.ts'
import { sandboxExists } from '../sandboxes/reads.ts'
import type { DomainOfTeam } from './recheck.ts'
import type { DomainSettings, ReceivingProof } from './records.ts'
import { DomainItem, type DomainStatus, type NewDomain, type TlsMode } from './schema.ts'
import type { Checks, DomainState } from './status.ts'

const SWITCH = (column: Sql) => sql`case when ${column} then 'enabled' else 'disabled' end`

const COLUMNS = columnsOf(DomainItem, 'd', {
  capabilities: sql`json_build_object('sending', ${SWITCH(sql`d.sending`)}, 'receiving', ${SWITCH(sql`d.receiving`)})`,
})

export const domainRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`domains d`,
  where: sql`d.team_id = ${team}`,
  id: sql`d.id`,
})

/** A domain with all that its records and its events are made of. */
export type StoredDomain = Static<typeof DomainItem> &
  DomainSettings & {
    readonly created_at_iso: string
    readonly checks: Checks
    readonly is_placeholder: boolean
    readonly is_receiving_proven: boolean
    readonly mta_sts: HostedMode
  }

const STORED = sql`${COLUMNS}, iso_time(d.created_at) as created_at_iso, d.return_path, d.tracking_subdomain, d.sending,
  d.receiving, d.receiving_proof, d.mta_sts, d.is_receiving_proven, d.checks, d.is_placeholder, (
    select coalesce(json_agg(json_build_object(
      'selector', k.selector, 'public_record', k.public_record, 'state', k.state) order by k.state, k.selector), '[]')
    from domain_keys k where k.team_id = d.team_id and k.domain_id = d.id and k.state <> 'retired') as keys`

export async function findDomain(db: Queryable, team: string, id: string): Promise<StoredDomain | undefined> {
  const [domain] = await db.query<StoredDomain>(sql`
    select ${STORED} from domains d where d.team_id = ${team} and d.id = ${id}`)
  return domain
}

/** Locks it for the transaction: what is found out about a domain and what is decided about it come one after the other. */
export async function lockDomain(db: Queryable, team: string, id: string): Promise<StoredDomain | undefined> {
  const [domain] = await db.query<StoredDomain>(sql`
    select ${STORED} from domains d where d.team_id = ${team} and d.id = ${id} for no key update of d`)
  return domain
}

/** Where a name is unique: in the whole installation without its sandboxes, and in each of these. As the index has it. */
const sharingNamesWith = (team: string | null): Sql =>
  team !== null && isSandbox(team) ? sql`team_id = ${team}` : sql`not is_sandbox(team_id)`

/** Whose domain this is, among those who share names with the team. */
export async function findOwner(
  db: Queryable,
  team: string,
  name: string,
): Promise<{ id: string; team: string } | undefined> {
  const [owner] = await db.query<{ id: string; team: string }>(sql`
    select id, team_id as team from domains where name = ${name} and not is_placeholder and ${sharingNamesWith(team)}`)
  return owner
}

/** Whose mail it is that comes to this name: of this sandbox, while it goes on, or of anybody who is none. */
export async function findReceiverRow(
  db: Queryable,
  sandbox: string | null,
  name: string,
): Promise<{ team: string; isReceiving: boolean; proof: ReceivingProof } | undefined> {
  const [row] = await db.query<{ team: string; isReceiving: boolean; proof: ReceivingProof }>(sql`
    select team_id as team, receiving and is_receiving_proven as "isReceiving", receiving_proof as proof from domains
    where name = ${name} and not is_placeholder and ${sharingNamesWith(sandbox)}
      ${sandbox === null ? sql`` : sql`and ${sandboxExists(sql`domains.team_id`)}`}`)
  return row
}

/** The domain whose return path has this host name, and which has shown that it is the team's. */
export async function findByReturnPath(
  db: Queryable,
  host: string,
): Promise<{ team: string; domainId: string } | undefined> {
  const dot = host.indexOf('.')
  const [label, name] = [host.slice(0, Math.max(0, dot)).toLowerCase(), toAsciiDomain(host.slice(dot + 1))]
  const [row] = await db.query<{ team: string; domainId: string }>(sql`
    select team_id as team, id as "domainId" from domains
    where name = ${name} and return_path = ${label} and sending and is_sending_verified and not is_placeholder and not is_sandbox(team_id)`)
  return row
}

/** The name of a domain that another team has verified, at this name or above it. */
export async function findVerifiedAround(db: Queryable, team: string, name: string): Promise<string | undefined> {
  const labels = name.split('.')
  const names = labels.map((_label, index) => labels.slice(index).join('.'))
  const [found] = await db.query<{ name: string }>(sql`
    select name from domains
    where name = any(${names}::text[]) and team_id <> ${team} and not is_placeholder and not is_sandbox(team_id)
      and (is_sending_verified or (is_receiving_proven and receiving_proof <> 'mx'))
    limit 1`)
  return found?.name
}

/** A new domain as it is kept. */
export type DomainValues = Omit<NewDomain, 'capabilities' | 'dkim' | 'custom_return_path'> & {
  readonly return_path: string
  readonly sending: boolean
  readonly receiving: boolean
  readonly receiving_proof: ReceivingProof
}

/** The parts of a statement that write a domain whose state is known, with its key, if `condition` holds. */
export function insertKnownDomain(
  { team_id, id, created_at, updated_at }: ReturnType<typeof newRow>,
  { state, checks, key, ...domain }: DomainValues & { state: DomainState; checks: Checks; key: StoredKey },
  condition: Sql,
): { domain: Sql; key: Sql } {
  const row = { ...domain, ...state, checks, created_at, updated_at }
  return {
    domain: sql.write`insert into domains ${insertion({ team_id, id, ...row }, condition)}`,
    key: sql.write`insert into domain_keys ${insertion({ team_id, domain_id: id, ...keyColumns(key), created_at }, condition)}`,
  }
}

/** Announced when a domain is added, changed or deleted: whoever remembers domains forgets them. */
export const DOMAINS_CHANNEL = 'domains'

/** Undefined when the name is taken. */
export async function insertDomain(
  trx: Transaction,
  team: string,
  domain: DomainValues,
  isPlaceholder: boolean,
): Promise<string | undefined> {
  trx.announce(DOMAINS_CHANNEL)
  const [row] = await trx.query<{ id: string }>(sql.write`
    insert into domains ${insertion({ ...newRow(trx, team), ...domain, is_placeholder: isPlaceholder })}
    on conflict do nothing returning id`)
  return row?.id
}

interface StoredKey {
  /** `active` unless it says otherwise. */
  readonly state?: 'pending'
  readonly selector: string
  readonly public_record: string
  readonly sealed: Buffer
}

const keyColumns = ({ selector, public_record, sealed, state }: StoredKey) => ({
  selector,
  state: state ?? 'active',
  public_record,
  private_key: sealed,
})

export const insertKey = (db: Queryable, team: string, domainId: string, key: StoredKey) =>
  db.query(sql.write`
    insert into domain_keys ${insertion({
      team_id: team,
      domain_id: domainId,
      ...keyColumns(key),
      created_at: db.clock.of(team).now(),
    })}`)

export const findKeys = (db: Queryable, team: string, domainId: string) =>
  db.query<{ domain: string; selector: string; private_key: Buffer }>(sql`
    select d.name as domain, k.selector, k.private_key
    from domain_keys k join domains d on d.team_id = k.team_id and d.id = k.domain_id
    where k.team_id = ${team} and k.domain_id = ${domainId} and k.state = 'active' order by k.selector`)

/** All that the domain has had lately, also those that sign no more: their names are taken. */
export const findSelectors = async (db: Queryable, team: string, domainId: string): Promise<string[]> =>
  (
    await db.query<{ selector: string }>(sql`
      select selector from domain_keys where team_id = ${team} and domain_id = ${domainId}`)
  ).map(({ selector }) => selector)

/** The pending keys sign from now on, instead of those that did. */
export async function replaceKeys(trx: Transaction, team: string, domainId: string) {
  trx.announce(DOMAINS_CHANNEL)
  await trx.query(sql.write`
    update domain_keys set
      state = case state when 'pending' then 'active' else 'retired' end,
      retired_at = case state when 'pending' then null else ${trx.clock.now()}::timestamptz end
    where team_id = ${team} and domain_id = ${domainId} and state <> 'retired'`)
}

/** Mail that they have signed has arrived, or come back. */
export const deleteRetiredKeys = (trx: Transaction, { team, domainId }: DomainOfTeam, before: Date) =>
  trx.query(sql.write`
    delete from domain_keys where team_id = ${team} and domain_id = ${domainId} and retired_at < ${before}`)

export function updateDomain(trx: Transaction, team: string, id: string, changes: Record<string, unknown>) {
  trx.announce(DOMAINS_CHANNEL)
  return trx.query(sql.write`
    update domains set ${assignments(changes, trx.clock.of(team).now())} where team_id = ${team} and id = ${id}`)
}

export const updateChecks = (
  trx: Transaction,
  team: string,
  id: string,
  { checks, nextCheckAt, ...state }: DomainState & { checks: Checks; nextCheckAt: Date | null },
) => updateDomain(trx, team, id, { ...state, checks, next_check_at: nextCheckAt })

export function deleteDomain(trx: Transaction, team: string, id: string) {
  trx.announce(DOMAINS_CHANNEL)
  return trx.query(sql.write`delete from domains where team_id = ${team} and id = ${id}`)
}

/** It exists, and stays until the transaction ends. */
export async function holdDomain(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`select id from domains where team_id = ${team} and id = ${id} for key share`)
  return rows.length > 0
}

/** Takes domains of all teams that are due, and puts them off, so that a check that gets lost is made up for. */
export const takeDue = (db: Queryable, now: Date, putOffTo: Date, limit: number) =>
  db.query<DomainOfTeam>(sql.write`
    update domains d set next_check_at = ${putOffTo}
    from (select team_id, id from domains where next_check_at <= ${now} order by next_check_at limit ${limit} for update skip locked) due
    where d.team_id = due.team_id and d.id = due.id
    returning d.team_id as team, d.id as "domainId"`)

export interface SenderRow {
  readonly team: string
  readonly id: string
  readonly name: string
  readonly status: DomainStatus
  readonly tls: TlsMode
  readonly return_path: string
  readonly tracking_subdomain: string | null
  readonly open_tracking: boolean
  readonly click_tracking: boolean
  readonly sending: boolean
  readonly is_sending_verified: boolean
  readonly is_tracking_verified: boolean
}

const SENDER_COLUMNS = sql`team_id as team, id, name, status, tls, return_path, tracking_subdomain, open_tracking, click_tracking,
  sending, is_sending_verified, is_tracking_verified`

export function findSenderRows(db: Queryable, wanted: readonly { team: string; name: string }[]): Promise<SenderRow[]> {
  return db.query<SenderRow>(sql`
    select ${SENDER_COLUMNS}
    from ${rowsOf(
      wanted.map(({ team, name }) => ({ team_id: team, name })),
      { team_id: 'uuid', name: 'text' },
    )}
    join domains using (team_id, name)
    where not is_placeholder`)
}

/** The one with this name that mail may leave from, whichever team it is of. */
export async function findVerifiedDomain(
  db: Queryable,
  name: string,
): Promise<{ team: string; id: string } | undefined> {
  const [domain] = await db.query<{ team: string; id: string }>(sql`
    select team_id as team, id from domains
    where name = ${toAsciiDomain(name)} and sending and is_sending_verified and not is_placeholder
      and not is_sandbox(team_id)
    limit 1`)
  return domain
}

export async function findSenderRowById(db: Queryable, team: string, id: string): Promise<SenderRow | undefined> {
  const [row] = await db.query<SenderRow>(sql`
    select ${SENDER_COLUMNS} from domains where team_id = ${team} and id = ${id} and not is_placeholder`)
  return row
}
