import type pg from 'pg'
import { findApplied, newerSchema, objectionTo, schemaState } from '../../../kernel/db/schema-state.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type Finding, fault, fine, warning } from './finding.ts'

interface Server {
  readonly version: string
  readonly number: number
  readonly isStandby: boolean
  readonly isReadOnly: boolean
  readonly encoding: string
  readonly schema: string | null
  readonly mayCreate: boolean | null
}

export async function checkServer(client: pg.Client, config: Config): Promise<Finding[]> {
  const where = config.DATABASE_URL ? 'POSTWREN_DATABASE_URL' : 'the embedded PostgreSQL'
  const { rows } = await client.query<Server>(`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only')::boolean as "isReadOnly",
      current_setting('server_encoding') as encoding, current_schema() as schema,
      has_schema_privilege(current_schema(), 'create') as "mayCreate"`)
  const { version, number, isStandby, isReadOnly, encoding, schema, mayCreate } = rows[0]!
  const bad = (message: string) => [fault('database', message)]
  if (number < 140_000) return bad(`PostgreSQL ${version} at ${where} is too old: 14 or newer is needed.`)
  if (isStandby) return bad(`${where} is a standby, which is read-only: connect to the primary.`)
  if (isReadOnly) return bad(`${where} is read-only (default_transaction_read_only): switch that off for this role.`)
  if (encoding !== 'UTF8') return bad(`The database has the encoding ${encoding}: make one with \`encoding 'UTF8'\`.`)
  if (schema === null) return bad('The role has no schema to use: set its search_path, or create the schema `public`.')
  if (!mayCreate)
    return bad(`The role may not create tables in the schema ${schema}: \`grant create on schema ${schema} to …\`.`)
  return [fine('database', `Database: PostgreSQL ${version}, ${where}.`)]
}

/** What `serve` would migrate, and what it would refuse. */
export async function checkSchema(client: pg.Client): Promise<Finding[]> {
  const applied = await findApplied(client)
  if (applied === null) return [fine('schema', 'Schema: empty. `serve` makes the tables.')]
  const state = schemaState(applied)
  const objection = objectionTo(state)
  if (objection) return [fault('schema', objection.message)]
  const newer = newerSchema(state)
  if (newer) return [warning('schema', newer)]
  if (state.missing.length === 0) return [fine('schema', 'Schema: up to date.')]
  const foreign = await findForeignTable(client)
  if (foreign)
    return [
      fault(
        'schema',
        `Migrations are missing, and the table ${foreign} belongs to another role: \`reassign owned\` to this one.`,
      ),
    ]
  const names = state.missing.map(({ name }) => name)
  return [
    fine('schema', `Schema: ${names.length} migrations will run at \`serve\`, from ${names[0]} to ${names.at(-1)}.`),
  ]
}

async function findForeignTable(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = (select oid from pg_namespace where nspname = current_schema()) and relkind = 'r'
      and not pg_has_role(relowner, 'usage')
    limit 1`)
  return rows[0]?.name
}

const CLOCK_WARNING_MS = 1_000
/** Receivers of webhooks refuse signatures that are off by five minutes, S3 those by fifteen. */
const CLOCK_FAULT_MS = 60_000

/** The clocks of this machine and of PostgreSQL. The quickest of three samples is the most exact. */
export async function checkClock(client: pg.Client, clock = Date.now): Promise<Finding[]> {
  let best = { roundTripMs: Number.POSITIVE_INFINITY, offsetMs: 0 }
  for (let sample = 0; sample < 3; sample++) {
    const asked = clock()
    const { rows } = await client.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    const roundTripMs = clock() - asked
    if (roundTripMs < best.roundTripMs) best = { roundTripMs, offsetMs: rows[0]!.now - (asked + roundTripMs / 2) }
  }
  const off = Math.abs(best.offsetMs)
  const words = `The clock of this machine is ${(off / 1_000).toFixed(1)} s ${best.offsetMs > 0 ? 'behind' : 'ahead of'} that of PostgreSQL`
  if (off > CLOCK_FAULT_MS) return [fault('clock', `${words}: set both by NTP.`)]
  if (off > CLOCK_WARNING_MS) return [warning('clock', `${words}: set both by NTP.`)]
  return [fine('clock', 'Clock: agrees with that of PostgreSQL.')]
}

/** Files of one machine are not seen by the others. */
export async function checkMachines(client: pg.Client, { S3_URL }: Config): Promise<Finding[]> {
  if (S3_URL) return []
  const { rows } = await client.query<{ machines: number }>(`
    select count(distinct client_addr)::int as machines from pg_stat_activity where application_name = 'postwren'`)
  const { machines } = rows[0]!
  if (machines < 2) return []
  return [
    warning(
      'blob_store',
      `Postwren runs on ${machines} machines, and attachments are files: set POSTWREN_S3_URL, unless POSTWREN_DATA_DIR is a folder that they share.`,
    ),
  ]
}
