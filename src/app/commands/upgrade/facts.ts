import { countUnsettled, MAX_UNSETTLED, type Unsettled } from '../../../features/emails/delivery/queue/unsettled.ts'
import { findRunningVersions } from '../../../kernel/db/presence.ts'
import { findApplied, schemaState } from '../../../kernel/db/schema-state.ts'
import type { DatabaseCheck } from '../doctor/database.ts'
import { type Finding, fine, warning } from '../doctor/finding.ts'

/** What an upgrade meets, for programs. Null: it could not be looked at. */
export interface Facts {
  /** Names of those that would run, in order. */
  migrations: readonly string[] | null
  nodes: readonly { readonly version: string | null; readonly count: number }[] | null
  /** Emails to single recipients that wait, and those that are being sent. Counted up to `MAX_UNSETTLED`. */
  mail: { readonly waiting: number; readonly in_flight: number } | null
}

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
    const unsettled = await countUnsettled(client)
    if (!unsettled) return []
    facts.mail = { waiting: unsettled.waiting, in_flight: unsettled.inFlight }
    return [mailFinding(unsettled)]
  }

function mailFinding({ waiting, inFlight }: Unsettled): Finding {
  if (inFlight === 0) return fine('mail', `Mail: ${counted(waiting)} waiting, none in flight.`)
  return warning(
    'mail',
    `Mail: ${counted(waiting)} waiting, ${counted(inFlight)} in flight. Stop the running processes with SIGTERM, so that it is finished or handed back.`,
  )
}

const counted = (count: number) => (count === MAX_UNSETTLED ? `${count} or more` : String(count))
