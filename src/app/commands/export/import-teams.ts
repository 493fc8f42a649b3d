import { join } from 'node:path'
import { MAX_TEAM_NAME } from '../../../features/teams/schema.ts'
import type { Database, Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { OperatorError, oneLine, requireName } from '../command.ts'
import type { Kind } from './catalogue.ts'
import { fileOf, type Manifest } from './format.ts'
import { insertRows } from './insert-rows.ts'
import { readObjects } from './lines.ts'

/** Marks the team of an unfinished import; the next import deletes it. No member sees it: memberships are imported with the rest. */
const IN_PROGRESS = 'This team is being imported.'

export const IMPORTED = 'Imported from another installation. Nothing is sent until an operator unsuspends the team.'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export interface ImportedTeam {
  readonly id: string
  readonly name: string
}

/** The teams of an export, under the names that they get here. */
export async function readTeams(
  folder: string,
  manifest: Manifest,
  newName: string | undefined,
): Promise<{ teams: ImportedTeam[]; rows: object[] }> {
  const path = join(folder, fileOf('teams'))
  const rows: Record<string, unknown>[] = []
  for await (const objects of readObjects(path, manifest.kinds.teams!)) rows.push(...objects)
  if (newName !== undefined && rows.length !== 1)
    throw new OperatorError(`--team-name is for one team, and the export has ${rows.length}.`)
  const teams = rows.map(({ id, name }) => {
    if (typeof id !== 'string' || !UUID.test(id) || isSandbox(id) || typeof name !== 'string')
      throw new OperatorError(`${path}: not a team.`)
    return { id, name: requireName('team', newName ?? name, MAX_TEAM_NAME) }
  })
  return { teams, rows: rows.map((row, index) => ({ ...row, name: teams[index]!.name })) }
}

/**
 * Makes the teams, suspended, before anything else: workers of running processes know that they are when their rows appear. Each commits by
 * itself, and has nobody and nothing.
 */
export async function beginTeams(
  db: Database,
  {
    kind,
    fields,
    teams,
    rows,
  }: { kind: Kind; fields: readonly string[]; teams: readonly ImportedTeam[]; rows: object[] },
) {
  const ids = teams.map(({ id }) => id)
  await db.transaction(async (trx) => {
    await deleteUnfinished(trx, ids)
    const [known] = await trx.query<{ id: string; name: string }>(sql`
      select id, name from teams where id = any (${ids}::uuid[]) limit 1`)
    if (known) throw new OperatorError(`Team ${oneLine(known.name)} (${known.id}) is in this installation already.`)
    const [taken] = await trx.query<{ name: string }>(sql`
      select name from teams where name = any (${teams.map(({ name }) => name)}::text[]) limit 1`)
    if (taken)
      throw new OperatorError(
        `This installation has another team named ${oneLine(taken.name)}. Export the team alone (--team) and import it with --team-name NAME.`,
      )
    const context = { teams: ids, exportedAt: trx.clock.now(), isFirst: false }
    await trx.query(insertRows(kind, { fields, lines: JSON.stringify(rows) }, context))
    await trx.query(sql.write`
      update teams set suspended_at = ${trx.clock.now()}, suspended_reason = ${IN_PROGRESS} where id = any (${ids}::uuid[])`)
  })
}

/** What an import that was killed has left, or one that failed. */
export const deleteUnfinished = (db: Queryable, ids: readonly string[]) =>
  db.query(sql.write`delete from teams where id = any (${ids}::uuid[]) and suspended_reason = ${IN_PROGRESS}`)

/** With the rest of the rows. A team that was suspended before stays so for the old reason. */
export async function finishTeams(trx: Queryable, rows: readonly object[]) {
  const finished = await trx.query(sql.write`
    update teams t set suspended_at = coalesce(given.suspended_at, t.suspended_at),
      suspended_reason = case when given.suspended_at is null then ${IMPORTED} else given.suspended_reason end
    from json_to_recordset(${JSON.stringify(rows)}::json) as given (id uuid, suspended_at timestamptz, suspended_reason text)
    where t.id = given.id and t.suspended_reason = ${IN_PROGRESS} returning t.id`)
  if (finished.length !== rows.length)
    throw new OperatorError('A team was unsuspended or deleted while it was imported. Nothing was imported.')
}
