import Type, { type Static } from 'typebox'
import type { Database, Queryable, Transaction } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { guardedPermissions } from '../../kernel/http/access.ts'
import { INACTIVE, type KeyStore, tokenDigest, tokenPrefix } from '../../kernel/http/auth.ts'
import { columnsOf, columnValues, insertion, newUndatedRow, undatedAssignments } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { livesIn } from '../../platform/cell.ts'
import { findMovedKeys } from '../cells/reads.ts'
import { emailOfUser } from '../people/reads.ts'
import { deletePolicy } from '../policies/queries.ts'
import { hasPolicy, policyOf } from '../policies/reads.ts'
import { TEAM_NAMES } from '../teams/reads.ts'
import { PERMISSIONS, type Permission } from './permissions.ts'
import { ApiKeyDetails, ApiKeyItem, CreateApiKey, UpdateApiKey } from './schema.ts'

const COLUMNS = columnsOf(ApiKeyItem, 'k')
const DETAILS = columnsOf(ApiKeyDetails, 'k', {
  created_by: emailOfUser(sql`k.created_by`),
  policy: policyOf(sql`k.team_id`, sql`k.id`),
})

export const apiKeyRows = (team: string): Rows => rowsWith(COLUMNS, team)
export const apiKeyDetailRows = (team: string): Rows => rowsWith(DETAILS, team)

const rowsWith = (columns: Sql, team: string): Rows => ({
  columns,
  from: sql`api_keys k`,
  where: sql`k.team_id = ${team}`,
  id: sql`k.id`,
})

export interface NewApiKey extends Omit<Static<typeof CreateApiKey>, 'expires_at' | 'policy'> {
  readonly token: string
  readonly expires_at?: Date | null
  /** The person who makes it. */
  readonly created_by?: string | null
}

const SHOWN_OF_TOKEN = 4

/** A key as whoever runs the installation sees it. */
export interface InstalledKey extends Static<typeof ApiKeyDetails> {
  readonly team: string
  readonly team_id: string
}

/** Of all teams, or one; by team, the newest first. */
export const listInstalledKeys = (db: Queryable, team: string | null) =>
  db.query<InstalledKey>(sql`
    select t.name as team, k.team_id, ${DETAILS} from api_keys k join ${TEAM_NAMES} t on t.id = k.team_id
    where not t.is_sandbox and (${team}::uuid is null or k.team_id = ${team})
    order by t.name, k.id desc`)

/** Whether any team has a key. */
export async function hasKeys(db: Queryable): Promise<boolean> {
  const rows = await db.query(sql`select 1 as found from api_keys limit 1`)
  return rows.length > 0
}

/** The key of the settings. The one that it replaces is deleted. */
export async function replaceSettingsKey(db: Queryable, team: string, key: NewApiKey) {
  const gone = await db.query<{ team: string; policyId: string }>(sql.write`
    delete from api_keys where is_from_settings and token_sha256 <> ${tokenDigest(key.token)}
    returning team_id as team, id as "policyId"`)
  for (const one of gone) await deletePolicy(db, one)
  await insertApiKey(db, team, key)
  await db.query(sql.write`
    update api_keys set is_from_settings = true where token_sha256 = ${tokenDigest(key.token)} and not is_from_settings`)
}

/** Keeps a digest of the token and not the token. A token that is there already stays as it is. */
export async function insertApiKey(db: Queryable, team: string, key: NewApiKey): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(sql`${insertKey(db, team, key)}
    on conflict (token_sha256) do nothing returning id`)
  return row?.id
}

/** Without the policy, which has a table of its own. */
const KEY_FIELDS = Type.Omit(CreateApiKey, ['policy'])

/** The part of a statement that writes a key, if `condition` holds. */
export const insertKey = (db: Queryable, team: string, key: NewApiKey, condition?: Sql): Sql => {
  const row = {
    ...newUndatedRow(db, team),
    ...columnValues(KEY_FIELDS, key),
    token_prefix: tokenPrefix(key.token),
    token_sha256: tokenDigest(key.token),
    token_end: key.token.slice(-SHOWN_OF_TOKEN),
    created_by: key.created_by,
  }
  return sql.write`insert into api_keys ${insertion(row, condition)}`
}

/** Nobody acts for these teams any more. */
export const deleteKeysOf = (db: Queryable, teams: readonly string[]) =>
  db.query(sql.write`delete from api_keys where team_id = any (${teams}::uuid[])`)

export async function updateApiKey(
  db: Queryable,
  team: string,
  id: string,
  changes: Pick<Static<typeof UpdateApiKey>, 'name'>,
): Promise<boolean> {
  const rows = await db.query(sql.write`
    update api_keys set ${undatedAssignments(columnValues(Type.Pick(UpdateApiKey, ['name']), changes))}
    where team_id = ${team} and id = ${id} returning id`)
  return rows.length > 0
}

export async function findPermission(db: Queryable, team: string, id: string): Promise<Permission | undefined> {
  const [key] = await db.query<{ permission: Permission }>(sql`
    select permission from api_keys where team_id = ${team} and id = ${id}`)
  return key?.permission
}

export async function findApiKey(
  db: Queryable,
  team: string,
  id: string,
): Promise<Static<typeof ApiKeyDetails> | undefined> {
  const [key] = await db.query<Static<typeof ApiKeyDetails>>(sql`
    select ${DETAILS} from api_keys k where k.team_id = ${team} and k.id = ${id}`)
  return key
}

/** With its policy. */
export async function deleteApiKey(trx: Transaction, team: string, id: string): Promise<boolean> {
  const rows = await trx.query(sql.write`delete from api_keys where team_id = ${team} and id = ${id} returning id`)
  await deletePolicy(trx, { team, policyId: id })
  return rows.length > 0
}

interface KeyRow {
  readonly id: string
  readonly name: string
  readonly team: string
  readonly permission: Permission
  readonly domainId: string | null
  readonly tokenSha256: Buffer
  /** In the time of its team. */
  readonly expiresAt: Date | null
  readonly isGuarded: boolean
}

/** Whoever comes with a key of a team that lives in another cell now is told which. */
const findMoved = async (db: Database, prefix: string): Promise<Awaited<ReturnType<KeyStore['findByPrefix']>>> =>
  (await findMovedKeys(db, prefix)).map(({ team, tokenSha256, cell, url }) => ({
    actor: { team, identity: { kind: 'key', id: '' }, name: '', permissions: new Set(), domainId: null },
    tokenSha256,
    refusal: { kind: 'wrong_cell', message: `The team of this API key lives in ${livesIn(cell, url)}` },
  }))

/** The one look-up that knows no team: it is what finds out whose request this is. */
export const keyStore = (db: Database): KeyStore => ({
  async findByPrefix(prefix) {
    const rows = await db.query<KeyRow>(sql`
      select id, name, team_id as team, permission, domain_id as "domainId", token_sha256 as "tokenSha256",
        expires_at as "expiresAt", ${hasPolicy(sql`k.team_id`, sql`k.id`)} as "isGuarded"
      from api_keys k where token_prefix = ${prefix}`)
    if (rows.length === 0) return findMoved(db, prefix)
    await db.forTeams(rows.map(({ team }) => team))
    return rows.map(({ id, name, team, permission, domainId, tokenSha256, expiresAt, isGuarded }) => ({
      actor: {
        ...{ team, identity: { kind: 'key', id }, name, domainId, policyId: isGuarded ? id : null },
        permissions: isGuarded ? guardedPermissions(PERMISSIONS[permission]) : PERMISSIONS[permission],
      },
      tokenSha256,
      refusal: expiresAt && expiresAt <= db.clock.of(team).now() ? INACTIVE : null,
    }))
  },
})

/** What a key has done on one day. */
export interface KeyUse {
  readonly team: string
  readonly key: string
  /** `2026-11-15`, in UTC. */
  readonly day: string
  /** The last time. */
  at: Date
  requests: number
}

const KEPT_DAYS = 90

/**
 * Never moves a time back: several processes report what they saw, in any order. The keys are locked in one order, so that two of them
 * do not wait for each other, and one that is deleted meanwhile is left out.
 */
export const saveUses = (db: Queryable, uses: readonly KeyUse[]) =>
  db.query(sql.write`
    with seen as (
      select team, key, day::date as day, at, requests
      from ${rowsOf(uses, { team: 'uuid', key: 'uuid', day: 'text', at: 'timestamptz', requests: 'bigint' }, 'seen')}
    ), known as materialized (
      select k.team_id, k.id from api_keys k
      where (k.team_id, k.id) in (select team, key from seen)
      order by k.id for no key update
    ), used as (
      update api_keys k set last_used_at = greatest(k.last_used_at, latest.at)
      from (select known.team_id, known.id, max(seen.at) as at
        from known join seen on seen.team = known.team_id and seen.key = known.id
        group by known.team_id, known.id) latest
      where k.team_id = latest.team_id and k.id = latest.id
    ), over as (
      delete from api_key_uses u using known join seen on seen.team = known.team_id and seen.key = known.id
      where u.team_id = known.team_id and u.key_id = known.id and u.day < seen.day - ${KEPT_DAYS}::int
    )
    insert into api_key_uses as u (team_id, key_id, day, requests)
    select known.team_id, known.id, seen.day, seen.requests
    from known join seen on seen.team = known.team_id and seen.key = known.id
    on conflict (team_id, key_id, day) do update set requests = u.requests + excluded.requests`)

const SHOWN_DAYS = 30

/** The last days, the oldest first, also those on which nothing happened. None: there is no such key. */
export const findUses = (db: Queryable, team: string, id: string, now: Date) =>
  db.query<{ date: string; requests: number }>(sql`
    select to_char(days.day, 'YYYY-MM-DD') as date, coalesce(u.requests, 0)::float8 as requests
    from api_keys k
    cross join (select ${dayOf(now)}::date - back as day from generate_series(0, ${SHOWN_DAYS - 1}::int) back) days
    left join api_key_uses u on u.team_id = k.team_id and u.key_id = k.id and u.day = days.day
    where k.team_id = ${team} and k.id = ${id}
    order by days.day`)

/** `2026-11-15`, in UTC. */
export const dayOf = (moment: Date) => moment.toISOString().slice(0, 10)
