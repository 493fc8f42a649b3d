import { recordAudit } from '../../kernel/audit/record.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import type { Config } from '../../platform/settings/config.ts'
import { type Command, type CommandFlags, JSON_FLAG, OperatorError, oneLine } from './command.ts'
import { withDatabase } from './database.ts'
import { OPERATOR, requireTeam } from './teams.ts'

// What operators do to teams in the dashboard, by command: the same acts, written to the audit log of the team. Processes that run notice
// it with the next heartbeat, within a second.

const REASON_FLAG = { reason: { type: 'string' } } as const
const MAX_REASON_LENGTH = 500

export const suspendTeamCommand: Command = {
  name: 'team suspend',
  usage: 'NAME --reason WORDS [--json]',
  summary:
    'Suspend a team: its API keys are rejected, members get read-only access, outgoing mail is held. Members see the reason',
  options: { ...REASON_FLAG, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    const reason = reasonOf(flags)
    if (!reason)
      throw new OperatorError('Missing --reason; members of the team see it. Example: --reason "Too many complaints."')
    const { suspendTeamIn } = await import('../../features/operator/actions.ts')
    const act = { action: 'operator.teams.suspend', details: { reason } }
    const team = await operate(config, name, act, (trx, id) => suspendTeamIn(trx, id, { reason }))
    if (flags.json) return print(JSON.stringify({ object: 'team', id: team, suspended: true, reason }))
    print(`Team ${oneLine(name)} is suspended. Undo with: postwren team unsuspend NAME`)
  },
}

export const unsuspendTeamCommand: Command = {
  name: 'team unsuspend',
  usage: 'NAME [--reason WORDS] [--json]',
  summary: 'Unsuspend a team: held mail is sent',
  options: { ...REASON_FLAG, ...JSON_FLAG },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    const reason = reasonOf(flags)
    const { unsuspendTeamIn } = await import('../../features/operator/actions.ts')
    const act = { action: 'operator.teams.unsuspend', details: reason ? { reason } : null }
    const team = await operate(config, name, act, unsuspendTeamIn)
    if (flags.json) return print(JSON.stringify({ object: 'team', id: team, suspended: false }))
    print(`Team ${oneLine(name)} is no longer suspended.`)
  },
}

/** As the API names them, with hyphens. */
const LIMIT_FLAGS = [
  ...['emails-per-day', 'emails-per-month', 'recipients-per-second', 'received-per-day'],
  ...['contacts', 'domains', 'webhooks'],
] as const

export const teamLimitsCommand: Command = {
  name: 'team limits',
  usage: 'NAME [--LIMIT N …] [--reason WORDS] [--json]',
  summary: `Show the limits of a team and what is used, or change some: ${LIMIT_FLAGS.map((flag) => `--${flag}`).join(', ')}. \`none\` lifts one`,
  options: {
    ...Object.fromEntries(LIMIT_FLAGS.map((flag) => [flag, { type: 'string' as const }])),
    ...REASON_FLAG,
    ...JSON_FLAG,
  },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    const [{ changeLimitsIn }, { findOperatedTeam }] = await Promise.all([
      import('../../features/operator/actions.ts'),
      import('../../features/operator/queries.ts'),
    ])
    const changes = await limitsOf(flags)
    const reason = reasonOf(flags)
    if (Object.keys(changes).length > 0) {
      const act = { action: 'operator.teams.limits', details: { ...changes, ...(reason && { reason }) } }
      await operate(config, name, act, (trx, id) => changeLimitsIn(trx, id, changes))
    }
    const shown = await withDatabase(config, async (db) => findOperatedTeam(db, await requireTeam(db, name)))
    if (!shown) throw new OperatorError(`Team ${oneLine(name)} has no limits.`)
    if (flags.json) return print(JSON.stringify({ object: 'operated_team', ...shown }))
    const used: Record<string, number> = {
      emails_per_day: shown.today.sent + shown.today.received,
      emails_per_month: shown.this_month.sent + shown.this_month.received,
      received_per_day: shown.today.received,
      ...{ contacts: shown.contacts, domains: shown.domains, webhooks: shown.webhooks },
    }
    for (const [limit, value] of Object.entries(shown.limits))
      print(`${hyphened(limit).padEnd(24)}${value ?? 'none'}${limit in used ? ` (${used[limit]} used)` : ''}`)
  },
}

const hyphened = (field: string) => field.replaceAll('_', '-')

/** By the rules of the API. `none` is null; what is no number is refused as it is. */
async function limitsOf(flags: CommandFlags) {
  const [{ ChangeLimits }, { validate }, { Problem }] = await Promise.all([
    import('../../features/operator/schema.ts'),
    import('../../kernel/http/validate.ts'),
    import('../../kernel/http/problem.ts'),
  ])
  const given = LIMIT_FLAGS.filter((flag) => flags[flag] !== undefined).map((flag) => {
    const text = String(flags[flag]).trim()
    return [flag.replaceAll('-', '_'), text === 'none' ? null : /^-?\d+$/.test(text) ? Number(text) : text]
  })
  try {
    return { ...validate(ChangeLimits, Object.fromEntries(given), 'body') }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new OperatorError(
      error.message.replace(/^Invalid `(\w+)` field\. It/, (_match, field: string) => `--${hyphened(field)}`),
    )
  }
}

export function reasonOf({ reason = '' }: CommandFlags): string {
  const text = String(reason).trim()
  if ([...text].length > MAX_REASON_LENGTH)
    throw new OperatorError(`--reason has at most ${MAX_REASON_LENGTH} characters.`)
  return text
}

/** Does it, and writes it to the team's audit log, in one transaction. Gives the id of the team. */
export const operate = (
  config: Config,
  name: string,
  act: { action: string; details: object | null },
  work: (trx: Transaction, team: string) => Promise<unknown>,
): Promise<string> =>
  withDatabase(config, (db) =>
    db.transaction(async (trx) => {
      const team = await requireTeam(trx, name)
      await work(trx, team)
      await recordAudit(trx, { team, actor: OPERATOR, objectId: team, ...act })
      return team
    }),
  )
