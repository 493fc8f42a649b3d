import { RETENTION_KINDS, type RetentionKind } from '../../mail/retention-kinds.ts'
import type { Config } from '../../platform/settings/config.ts'
import { retentionSeconds, retentionText } from '../../platform/settings/settings.ts'
import { type Command, type CommandFlags, JSON_FLAG, OperatorError, oneLine, tableOf } from './command.ts'
import { withDatabase } from './database.ts'
import { operate } from './team-operations.ts'
import { requireTeam } from './teams.ts'

export const teamRetentionCommand: Command = {
  name: 'team retention',
  usage: 'NAME [--KIND PERIOD …] [--clear] [--json]',
  summary: `Show how long a team keeps its data, or set it apart from the installation: ${RETENTION_KINDS.map((kind) => `--${kind}`).join(', ')} with \`30d\`, \`forever\`, or \`default\`; --clear takes back all of it`,
  options: {
    ...Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, { type: 'string' as const }])),
    clear: { type: 'boolean' },
    ...JSON_FLAG,
  },
  words: 1,
  async run({ config, words: [name = ''], flags, print }) {
    const changes = periodsOf(flags)
    if (Object.keys(changes).length > 0) await write(config, name, changes)
    const { describeRetention } = await import('../../features/retention/actions.ts')
    const shown = await withDatabase(config, async (db) => describeRetention(db, config, await requireTeam(db, name)))
    if (flags.json) return print(JSON.stringify(shown))
    const rows = RETENTION_KINDS.map((kind) => ({
      KIND: kind,
      'KEPT FOR': shown[kind].period,
      'OWNERS CHOSE': shown[kind].own ?? '-',
      'AT MOST': shown[kind].max,
    }))
    for (const line of tableOf(rows)) print(line)
  },
}

async function write(config: Config, name: string, changes: Partial<Record<RetentionKind, number | null>>) {
  const { writeOwnPeriods } = await import('../../kernel/retention/team-periods.ts')
  const details = Object.fromEntries(
    Object.entries(changes).map(([kind, seconds]) => [kind, seconds === null ? null : retentionText(seconds)]),
  )
  const act = { action: 'operator.teams.retention', details }
  await operate(config, name, act, (trx, team) => writeOwnPeriods(trx, team, { by: 'operator', changes }))
}

/** Null takes back what was said. */
function periodsOf(flags: CommandFlags): Partial<Record<RetentionKind, number | null>> {
  const changes: Partial<Record<RetentionKind, number | null>> = {}
  for (const kind of RETENTION_KINDS) {
    if (flags.clear) changes[kind] = null
    const text = flags[kind] === undefined ? undefined : String(flags[kind]).trim()
    if (text === undefined) continue
    const seconds = text === 'default' ? null : retentionSeconds(text)
    if (seconds === null && text !== 'default')
      throw new OperatorError(
        `--${kind} must be a number with a unit, like \`12h\` or \`30d\`, or \`forever\`, or \`default\`, not \`${oneLine(text)}\`.`,
      )
    changes[kind] = seconds
  }
  return changes
}
