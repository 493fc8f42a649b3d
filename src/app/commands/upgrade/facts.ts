import type pg from 'pg'
import { findRunningVersions } from '../../../kernel/db/presence.ts'
import { findApplied, schemaState } from '../../../kernel/db/schema-state.ts'
import type { DatabaseCheck } from '../doctor/database.ts'
import { type Finding, fine, warning } from '../doctor/finding.ts'

/** What an upgrade meets, for programs. Null: it could not be looked at. */
export interface Facts {
  /** Names of those that would run, in order. */
  migrations: readonly string[] | null
  nodes: readonly { readonly version: string | null; readonly count: number }[] | null
  /** Emails to single recipients that wait, and those that are being sent. Counted up to `MAX_COUNTED`. */
  mail: { readonly waiting: number; readonly in_flight: number } | null
}

const MAX_COUNTED = 100_000

/** Beside the doctor's check of the schema, which says whether they can run. */
export const lookAtMigrations =
  (facts: Facts): DatabaseCheck =>
  async (client) => {
    facts.migrations = schemaState((await findApplied(client)) ?? []).missing.map(({ name }) => name)
    return []
  }

export const lookAtNodes =
  (facts: Facts): DatabaseCheck =>
  async (client) => {
    facts.nodes = await findRunningVersions(client)
    if (facts.nodes.length === 0) return [fine('nodes', 'Running processes: none.')]
    const words = facts.nodes.map(({ version, count }) => `${count} of ${version ?? 'an unknown version'}`)
    return [fine('nodes', `Running processes: ${words.join(', ')}.`)]
  }

/** Accepted mail survives an upgrade. What is being sent should end first: after a kill it may go out twice. */
export const lookAtMail =
  (facts: Facts): DatabaseCheck =>
  async (client) => {
    if (!(await hasTable(client, 'deliveries'))) return []
    const waiting = await countOf(client, `state = 'waiting' and holder is null`)
    const inFlight = await countOf(client, 'holder is not null')
    facts.mail = { waiting, in_flight: inFlight }
    return [mailFinding(waiting, inFlight)]
  }

function mailFinding(waiting: number, inFlight: number): Finding {
  if (inFlight === 0) return fine('mail', `Mail: ${counted(waiting)} waiting, none in flight.`)
  return warning(
    'mail',
    `Mail: ${counted(waiting)} waiting, ${counted(inFlight)} in flight. Stop the running processes with SIGTERM, so that it is finished or handed back.`,
  )
}

const counted = (count: number) => (count > MAX_COUNTED ? `more than ${MAX_COUNTED}` : String(count))

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [name])
  return rows[0]!.isThere
}

async function countOf(client: pg.Client, condition: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (select from deliveries where ${condition} limit ${MAX_COUNTED + 1}) counted`,
  )
  return rows[0]!.count
}
