import { deleteApiKey, type InstalledKey, insertApiKey, listInstalledKeys } from '../../features/api-keys/queries.ts'
import { newToken } from '../../features/api-keys/token.ts'
import { hintIn } from '../../features/policies/hint.ts'
import { summaryOf } from '../../features/policies/write.ts'
import { recordAudit } from '../../kernel/audit/record.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { readMoment } from '../../mail/moment.ts'
import { isId } from '../../platform/ids.ts'
import { type Command, JSON_FLAG, listOf, OperatorError, oneLine, requireName, tableOf } from './command.ts'
import { withDatabase } from './database.ts'
import { givePolicy, readPolicy } from './policy-input.ts'
import { OPERATOR, requireTeam } from './teams.ts'

export const createKey: Command = {
  name: 'key create',
  usage: 'NAME [--team T] [--sending] [--expires WHEN] [--policy FILE|JSON] [--json]',
  summary: 'Create an API key and print its token once. WHEN is a date, or words like "in 90 days"',
  options: {
    ...{ team: { type: 'string' }, sending: { type: 'boolean' }, expires: { type: 'string' } },
    ...{ policy: { type: 'string' }, ...JSON_FLAG },
  },
  words: 1,
  async run({ config, words: [given = ''], flags, print }) {
    const name = requireName('key', given, 50)
    const permission = flags.sending ? 'sending_access' : 'full_access'
    const policy = flags.policy === undefined ? null : await readPolicy(String(flags.policy))
    await withDatabase(config, async (db) => {
      const team = await requireTeam(db, flags.team)
      const expires_at = flags.expires === undefined ? null : expiryOf(String(flags.expires), db.clock.of(team).now())
      const token = newToken(config)
      const id = await db.transaction(async (trx) => {
        const made = await insertApiKey(trx, team, { name, permission, expires_at, token })
        await recordAudit(trx, {
          ...{ team, actor: OPERATOR, action: 'api-keys.create', objectId: made! },
          details: { name, permission, ...(policy && { policy: summaryOf(policy) }) },
        })
        if (policy) await givePolicy(trx, { team, id: made!, isNew: true }, policy)
        return made!
      })
      const hinted = await hintIn(db, team, policy)
      const made = { object: 'api_key', id, name, permission, expires_at, policy, token, ...hinted }
      print(flags.json ? JSON.stringify(made) : token)
      // Not among what a script reads.
      if (hinted.hint && !flags.json) process.stderr.write(`${hinted.hint}\n`)
    })
  },
}

export const listKeys: Command = {
  name: 'key list',
  usage: '[--team T] [--json]',
  summary: 'List the API keys of all teams, or of one',
  options: { team: { type: 'string' }, ...JSON_FLAG },
  words: 0,
  async run({ config, flags, print }) {
    const keys = await withDatabase(config, async (db) =>
      listInstalledKeys(db, flags.team === undefined ? null : await requireTeam(db, flags.team)),
    )
    if (flags.json) return print(listOf(keys))
    if (keys.length === 0) return print('No API keys.')
    for (const line of tableOf(keys.map(columnsOf))) print(line)
  },
}

export const revokeKey: Command = {
  name: 'key revoke',
  usage: 'ID|NAME [--team T] [--json]',
  summary: 'Delete an API key: it stops working within a second',
  options: { team: { type: 'string' }, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [wanted = ''], flags, print }) {
    await withDatabase(config, async (db) => {
      const key = await findKey(db, wanted, flags.team)
      await db.transaction(async (trx) => {
        await deleteApiKey(trx, key.team_id, key.id)
        await recordAudit(trx, {
          ...{ team: key.team_id, actor: OPERATOR, action: 'api-keys.remove', objectId: key.id },
          details: { name: key.name },
        })
      })
      if (flags.json) return print(JSON.stringify({ object: 'api_key', id: key.id, deleted: true }))
      print(`Deleted the API key ${oneLine(key.name)} (${endOf(key)}) of team ${oneLine(key.team)}.`)
    })
  },
}

/** By its id, or by its name when one key alone has it. */
export async function findKey(
  db: Queryable,
  wanted: string,
  team: string | boolean | undefined,
): Promise<InstalledKey> {
  const keys = await listInstalledKeys(db, team === undefined ? null : await requireTeam(db, team))
  const found = keys.filter(({ id, name }) => (isId(wanted) ? id === wanted.toLowerCase() : name === wanted))
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw new OperatorError(`API key ${oneLine(wanted)} not found. See: postwren key list`)
  const ids = found.map((key) => `${key.id} (${endOf(key)}, team ${oneLine(key.team)})`).join(', ')
  throw new OperatorError(`${found.length} API keys are named ${oneLine(wanted)}. Use an id: ${ids}`)
}

const columnsOf = (key: InstalledKey) => ({
  ID: key.id,
  TEAM: key.team,
  NAME: key.name,
  TOKEN: endOf(key),
  MAY: key.permission === 'full_access' ? 'everything' : key.domain_id ? 'send from a domain' : 'send',
  POLICY: key.policy ? Object.keys(key.policy).join(', ') : '',
  'LAST USED': dayOf(key.last_used_at) ?? 'never',
  EXPIRES: dayOf(key.expires_at) ?? 'never',
  'MADE BY': key.created_by ?? '',
})

const endOf = ({ token_end }: InstalledKey) => (token_end === null ? 're_…' : `re_…${token_end}`)

const dayOf = (timestamp: string | null) => timestamp?.slice(0, 10)

function expiryOf(text: string, now: Date): Date {
  const reading = readMoment(text, now)
  if ('unclear' in reading || reading.moment <= now)
    throw new OperatorError('--expires must be a date in the future, or words like "in 90 days".')
  return reading.moment
}
