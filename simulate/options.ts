import { parseArgs } from 'node:util'
import { STRATEGIES } from './strategies/index.ts'
import type { Strategy } from './strategies/pacer.ts'
import { UsageError } from './usage-error.ts'

export const COMMANDS = ['virtual', 'loopback', 'world'] as const
export type Command = (typeof COMMANDS)[number]

export interface Options {
  readonly command: Command
  readonly seed: number
  readonly days: number
  readonly sites: number
  /** Null: as the world has it. */
  readonly hours: number | null
  readonly worldFile: string | null
  readonly strategies: readonly Strategy[]
  readonly minutes: number
  readonly emails: number
  readonly isForMachines: boolean
}

/** Without a name: this is here to be compared with, and takes as long as the others together. */
const ONLY_BY_NAME = ['unpaced']

export const HELP = `npm run simulate -- [virtual] [--days N] [--strategy NAME]… [--seed N] [--sites N] [--hours N] [--world FILE] [--json]
npm run simulate -- loopback [--minutes N] [--emails N] [--seed N] [--sites N] [--world FILE] [--json]
npm run simulate -- world [--seed N] [--sites N] [--hours N]

  virtual        a month of sending to simulated sites in virtual time, for each way to pace mail (the default)
  loopback       the real program, in direct mode, against the same sites behind mail servers and a name server on loopback, in real time
  world          prints the world as JSON, to change and give to --world

  --days N       virtual days (30)
  --strategy S   ${STRATEGIES.map(({ name }) => name).join(', ')}; may be given several times (all but ${ONLY_BY_NAME.join(', ')})
  --hours N      how long the mail of a day is offered (2)
  --minutes N    how long the real program sends (2)
  --emails N     how many it is given (2000)
  --seed N       another world, or the same again (1)
  --sites N      how many sites there are (200; loopback: 40)
  --world FILE   a world of your own
  --json         the figures as JSON, with those of each site

Counted is at the sites. docs/operations/simulate.md says how to read the table.`

/** What to do, or null when the help is wanted. */
export function parseOptions(words: readonly string[]): Options | null {
  const { values, positionals } = parse(words)
  if (values.help) return null
  const [command = 'virtual', ...others] = positionals
  if (others.length > 0 || !isCommand(command))
    throw new UsageError(`There is no command ${others[0] ?? command}: ${COMMANDS.join(', ')}.`)
  return {
    command,
    seed: whole('seed', values.seed, { from: 0, to: 2 ** 31 - 1, otherwise: 1 }),
    days: whole('days', values.days, { from: 1, to: 366, otherwise: 30 }),
    sites: whole('sites', values.sites, { from: 1, to: 2_000, otherwise: command === 'loopback' ? 40 : 200 }),
    hours: values.hours === undefined ? null : whole('hours', values.hours, { from: 1, to: 24, otherwise: 1 }),
    worldFile: values.world ?? null,
    strategies: strategiesOf(values.strategy),
    minutes: whole('minutes', values.minutes, { from: 1, to: 1_440, otherwise: 2 }),
    emails: whole('emails', values.emails, { from: 1, to: 1_000_000, otherwise: 2_000 }),
    isForMachines: values.json === true,
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        seed: { type: 'string' },
        days: { type: 'string' },
        sites: { type: 'string' },
        hours: { type: 'string' },
        world: { type: 'string' },
        strategy: { type: 'string', multiple: true },
        minutes: { type: 'string' },
        emails: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]!)
  }
}

const isCommand = (word: string): word is Command => (COMMANDS as readonly string[]).includes(word)

function whole(
  name: string,
  value: string | undefined,
  bounds: { from: number; to: number; otherwise: number },
): number {
  const { from, to, otherwise } = bounds
  if (value === undefined) return otherwise
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= from && number <= to))
    throw new UsageError(`--${name} must be a whole number from ${from} to ${to}, not ${value}.`)
  return number
}

function strategiesOf(names: readonly string[] | undefined): readonly Strategy[] {
  if (!names) return STRATEGIES.filter(({ name }) => !ONLY_BY_NAME.includes(name))
  return [...new Set(names)].map((wanted) => {
    const found = STRATEGIES.find(({ name }) => name === wanted)
    if (!found)
      throw new UsageError(`There is no strategy ${wanted}: ${STRATEGIES.map(({ name }) => name).join(', ')}.`)
    return found
  })
}
