import { APPROVAL_HOLD } from '../../../features/emails/delivery/ledger/approval-hold.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import type { Column, Kind } from './catalogue.ts'
import { SEALED_COLUMNS } from './secrets.ts'

/** The node that held what was in flight: there is none with this number, so what it held is released. */
export const NO_NODE = -1

export interface InsertContext {
  readonly teams: readonly string[]
  readonly exportedAt: Date
  /** Nobody is here yet: whoever operated the other installation operates this one. */
  readonly isFirst: boolean
  /** Rows that are there already stay as they are. */
  readonly skipsExisting?: boolean
}

export interface Lines {
  /** The fields that they have. */
  readonly fields: readonly string[]
  /** An array in JSON. */
  readonly lines: string
}

export interface Inserted {
  readonly added: number
  /** Rows of a team that is not among those of the export. */
  readonly foreign: number
  /** Rows whose blob is that of another team. */
  readonly foreignBlobs: number
}

/**
 * Inserts lines of an export: PostgreSQL reads the JSON. Fields that it does not know are ignored; columns that the export does not have
 * take their defaults.
 */
export function insertRows(kind: Kind, { fields, lines }: Lines, context: InsertContext): Sql {
  const columns = kind.columns.filter(({ name }) => fields.includes(name))
  const quoted = (name: string) => raw(`"${name}"`)
  const values = columns.map((column) => overrideOf(kind.name, column.name, context) ?? valueFrom(kind, column))
  const more = moreColumns(kind)
  const team = teamOf(kind.name)
  const blobs = kind.blobs.filter((name) => fields.includes(name))
  return sql.write`
    with given as materialized (
      select * from json_to_recordset(${lines}::json) as given (${raw(
        columns.map(({ name, type }) => `"${name}" ${type === 'bytea' ? 'text' : type}`).join(', '),
      )})),
    added as (
      insert into ${raw(kind.name)} (${listed([...columns.map(({ name }) => quoted(name)), ...more.map(({ name }) => quoted(name))])})
      select ${listed([...values, ...more.map(({ value }) => value)])} from given
      where ${team ? sql`${team} = any (${context.teams}::text[])` : selectionOf(kind.name)} ${onConflict(kind.name, context)}
      returning 1)
    select (select count(*) from added)::int as added,
      ${team ? sql`(select count(*) from given where ${team} is null or ${team} <> all (${context.teams}::text[]))::int` : sql`0`} as foreign,
      ${
        blobs.length > 0
          ? sql`(select count(*) from given where ${raw(blobs.map((name) => `split_part("${name}", '/', 2) <> team_id::text`).join(' or '))})::int`
          : sql`0`
      } as "foreignBlobs"`
}

const listed = (parts: readonly Sql[]): Sql => parts.reduce((before, part) => sql`${before}, ${part}`)

/** Whose a row is. Kinds of people have no team. */
function teamOf(kind: string): Sql | null {
  if (['users', 'passkeys', 'oidc_identities', 'oauth_clients'].includes(kind)) return null
  return raw(kind === 'teams' ? 'id::text' : kind === 'jobs' ? `payload ->> 'team'` : 'team_id::text')
}

function valueFrom({ people }: Kind, { name, type, isRequired }: Column): Sql {
  if (people.includes(name)) return raw(`(select p.id from imported_people p where p.exported_id = given."${name}")`)
  if (type === 'bytea') return raw(`decode(given."${name}", 'base64')`)
  // In a column that must have a value, null is one of JSON.
  if (isRequired && (type === 'jsonb' || type === 'json')) return raw(`coalesce(given."${name}", 'null')`)
  return raw(`given."${name}"`)
}

/** Where a value depends on the installation that it comes to. */
function overrideOf(kind: string, column: string, { exportedAt, isFirst }: InsertContext): Sql | null {
  // Set aside since the export: the time that mail waits here is added to the time in which it may be tried.
  if (kind === 'deliveries' && column === 'suspended_at')
    return sql`case when given.state = 'waiting' then coalesce(given.suspended_at, ${exportedAt}::timestamptz) end`
  // Holds of operators are those of an installation. What waits for approval does so everywhere.
  if (kind === 'deliveries' && column === 'hold_id')
    return sql`case when given.state = 'waiting' and given.hold_id = ${APPROVAL_HOLD} then given.hold_id end`
  if (kind === 'users' && column === 'is_operator') return sql`given.is_operator and ${isFirst}::boolean`
  return null
}

/** Columns that an export does not have, and that need a value. */
function moreColumns({ name, primaryKey }: Kind): readonly { name: string; value: Sql }[] {
  const sealed = SEALED_COLUMNS[name]
  if (sealed)
    return [
      {
        name: sealed.column,
        value: raw(
          `(select s.sealed from imported_secrets s where s.kind = '${name}' and s.key = ${keyOf(primaryKey)})`,
        ),
      },
    ]
  return name === 'webhook_batches' ? [{ name: 'holder', value: raw(String(NO_NODE)) }] : []
}

const keyOf = (primaryKey: readonly string[]) => primaryKey.map((name) => `given."${name}"::text`).join(` || ' ' || `)

/** How people sign in is said by whoever had the account first: an export adds no key to an account that exists. */
const selectionOf = (kind: string): Sql =>
  kind === 'passkeys' || kind === 'oidc_identities'
    ? raw('exists (select from imported_people p where p.exported_id = given.user_id and p.is_new)')
    : raw('true')

const onConflict = (kind: string, { skipsExisting = false }: InsertContext): Sql =>
  skipsExisting || ['passkeys', 'oidc_identities', 'oauth_clients'].includes(kind)
    ? raw('on conflict do nothing')
    : raw('')

/** People are known by their address: who has an account here already keeps it. */
export function insertPeople(kind: Kind, { fields, lines }: Lines, context: InsertContext): Sql {
  const columns = kind.columns.filter(({ name }) => fields.includes(name))
  const names = raw(columns.map(({ name }) => `"${name}"`).join(', '))
  const values = listed(columns.map((column) => overrideOf('users', column.name, context) ?? valueFrom(kind, column)))
  return sql.write`
    with given as materialized (
      select * from json_to_recordset(${lines}::json) as given (${raw(columns.map(({ name, type }) => `"${name}" ${type}`).join(', '))})),
    added as (insert into users (${names}) select ${values} from given on conflict do nothing returning id),
    known as (
      insert into imported_people (exported_id, id, is_new)
      select given.id, coalesce(u.id, given.id), added.id is not null
      from given left join users u on lower(u.email) = lower(given.email) left join added on added.id = given.id
      returning 1)
    select (select count(*) from known)::int as added, 0 as foreign, 0 as "foreignBlobs"`
}
