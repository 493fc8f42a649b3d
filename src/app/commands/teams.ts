import { findTeam, insertTeam, listTeams } from '../../features/teams/queries.ts'
import { findFirstTeam } from '../../features/teams/reads.ts'
import { MAX_TEAM_NAME } from '../../features/teams/schema.ts'
import type { AuditActor } from '../../kernel/audit/record.ts'
import { recordAudit } from '../../kernel/audit/record.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, oneLine, requireName, tableOf } from './command.ts'
import { withDatabase } from './database.ts'

/** Whoever runs commands on the machine. */
export const OPERATOR: AuditActor = { kind: 'system', id: null, name: 'postwren command' }

export const createTeam: Command = {
  name: 'team create',
  usage: 'NAME [--json]',
  summary: 'Create a team with its own data and API keys',
  options: JSON_FLAG,
  words: 1,
  async run({ config, words: [given = ''], flags, print }) {
    const name = requireName('team', given, MAX_TEAM_NAME)
    const id = await withDatabase(config, (db) =>
      db.transaction(async (trx) => {
        const team = await insertTeam(trx, name)
        if (!team) throw new OperatorError(`A team with the name ${name} already exists.`)
        await recordAudit(trx, { team, actor: OPERATOR, action: 'teams.create', objectId: team, details: { name } })
        return team
      }),
    )
    if (flags.json) return print(JSON.stringify({ object: 'team', id, name }))
    print(`Team ${name} created, with the id ${id}. Create an API key: postwren key create NAME --team ${quoted(name)}`)
  },
}

export const listTeamsCommand: Command = {
  name: 'team list',
  usage: '[--json]',
  summary: 'List the teams of this installation',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const teams = await withDatabase(config, listTeams)
    if (flags.json) return print(listOf(teams))
    if (teams.length === 0) return print('No teams.')
    const rows = teams.map(({ id, name, members, api_keys, created_at, suspended_at, delete_at }) => ({
      ID: id,
      NAME: name,
      MEMBERS: String(members),
      KEYS: String(api_keys),
      CREATED: created_at.slice(0, 10),
      STATE: delete_at ? `to be deleted ${delete_at.slice(0, 10)}` : suspended_at ? 'suspended' : 'active',
    }))
    for (const line of tableOf(rows)) print(line)
  },
}

export const deleteTeam: Command = {
  name: 'team delete',
  usage: 'NAME [--now] [--json]',
  summary: 'Delete a team and its data after seven days, in which its owners can undo it; with --now at once',
  options: { now: { type: 'boolean' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    // With the jobs of teams, which no other command needs.
    const { scheduleDeletion } = await import('../../features/teams/actions.ts')
    await withDatabase(config, async (db) => {
      const team = await requireTeam(db, name)
      const deleteAt = await (flags.now ? scheduleDeletion(db, team, 0) : scheduleDeletion(db, team))
      if (!deleteAt) throw new OperatorError(`Team ${oneLine(name)} is already being deleted.`)
      const details = { delete_at: deleteAt.toISOString() }
      await recordAudit(db, { team, actor: OPERATOR, action: 'team.remove', objectId: team, details })
      if (flags.json) return print(JSON.stringify({ object: 'team', id: team, ...details }))
      print(
        flags.now
          ? `Team ${oneLine(name)} is being deleted, by the running service or at its next start.`
          : `Team ${oneLine(name)} is suspended and will be deleted on ${details.delete_at}. Until then an owner can undo it in the dashboard.`,
      )
    })
  },
}

/** The team with this name or id; unless it is said, the one that was there first. */
export async function requireTeam(db: Queryable, name: string | boolean | undefined): Promise<string> {
  if (name === undefined) {
    const first = await findFirstTeam(db)
    if (first) return first
    throw new OperatorError('No teams yet. Create one: postwren team create NAME')
  }
  const team = await findTeam(db, String(name))
  if (team) return team
  const shown = oneLine(String(name))
  throw new OperatorError(`Team ${shown} not found. Create it: postwren team create ${quoted(shown)}`)
}

/** As a shell takes it. */
export const quoted = (name: string) => (/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`)
