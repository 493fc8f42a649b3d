import { parseArgs } from 'node:util'
import { automations } from './automations.ts'
import { broadcast } from './broadcast.ts'
import { cleanUp } from './cleanup.ts'
import { compare } from './compare/main.ts'
import { dashboard } from './dashboard/main.ts'
import { depth } from './depth/main.ts'
import { direct } from './direct/main.ts'
import { sites } from './direct/sites.ts'
import { driver } from './driver.ts'
import { everyCore } from './every-core.ts'
import { attacker } from './hostile/attacker.ts'
import { hostile } from './hostile.ts'
import { inboxes } from './inboxes/main.ts'
import { laboratory } from './laboratory.ts'
import { ledger } from './ledger.ts'
import { lists } from './lists.ts'
import { metrics } from './metrics.ts'
import { peers } from './peers/main.ts'
import { smtpLoad } from './peers/smtp-load.ts'
import { pooler } from './pooler.ts'
import { profile } from './profile.ts'
import { receive } from './receive.ts'
import { receiver } from './receiver.ts'
import { search } from './search.ts'
import { send } from './send.ts'
import { sink } from './sink.ts'
import { teams } from './teams/main.ts'
import { webhooks } from './webhooks.ts'

interface Options {
  readonly contacts: number
  readonly events: number
  readonly emails: number
  readonly minutes: number
  readonly teams: number
  readonly days: number
  readonly dataDir?: string | undefined
  readonly isForMachines: boolean
  readonly names: readonly string[]
}

interface Benchmark {
  readonly summary: string
  /** How many, unless said otherwise. */
  readonly contacts?: number
  readonly emails?: number
  /** What `--profile` looks at, of the probes of `compare`. */
  readonly probes?: readonly string[]
  run(options: Options): Promise<void>
}

const BENCHMARKS: Record<string, Benchmark> = {
  lists: {
    summary: 'Pages and whole lists of a million contacts; start and idle memory',
    probes: ['pages', 'short-pages', 'whole-list'],
    run: lists,
  },
  metrics: { summary: 'Questions about millions of events, against counting them when asked', run: metrics },
  send: {
    summary: 'Accepting, and all the way to a mail server, against pgbench and Postfix',
    probes: ['accept', 'rsa', 'ed25519'],
    run: send,
  },
  broadcast: {
    summary: 'One message to 100,000, and a password reset in the middle of it',
    contacts: 100_000,
    probes: ['broadcast'],
    run: broadcast,
  },
  automations: { summary: 'Events that become emails; one that wakes a run among a million', run: automations },
  compare: { summary: 'REV NAME…: this build against another one, in alternating rounds', run: compare },
  dashboard: {
    summary: 'Bytes of its pages; LCP and INP with 100,000 emails, against a static page with the same bytes',
    run: dashboard,
  },
  depth: {
    summary: '[PART…]: with ten million emails in the tables against an empty database: bytes, speed, claims',
    emails: 10_000_000,
    run: depth,
  },
  direct: {
    summary: 'Mail to 500 sites on loopback, 50 of them dead: rate of the others, against none dead (port 25: as root)',
    emails: 10_000,
    run: direct,
  },
  hostile: { summary: 'What a team feels while another one does its worst', run: hostile },
  inboxes: { summary: 'Searching an inbox of a million messages, against one with a hundredth of them', run: inboxes },
  laboratory: {
    summary: 'Making sandboxes, waiting for mail, a drip of 30 days, a thousand held waits',
    run: laboratory,
  },
  ledger: { summary: 'Claiming mail while a long transaction elsewhere keeps dead rows alive', run: ledger },
  peers: { summary: '[NAME…]: what others accept and relay of the same work: emulators, mail servers', run: peers },
  pooler: {
    summary: 'Accepting and reading through PgBouncer in session mode, against a direct connection',
    run: pooler,
  },
  processes: { summary: 'Accepting and sending with 1, 2 and 4 processes; memory of each', run: everyCore },
  receive: { summary: 'Taking mail in, against Postfix', probes: ['receive'], run: receive },
  search: {
    summary: 'Searching a million sent emails by words, addresses and operators, against the list',
    run: search,
  },
  teams: {
    summary:
      'Everything that looks for work (emails, automations, webhooks, jobs, idle) with 100,000 teams, 1 % of them busy, against one team',
    run: teams,
  },
  webhooks: {
    summary: 'Events to endpoints, against a bare HTTP client; a dead one among twenty',
    probes: ['webhooks'],
    run: webhooks,
  },
}

const HELP = `npm run bench -- NAME [ATTACK…] [--contacts N] [--events N] [--emails N] [--teams N] [--days N] [--data DIR] [--json]
npm run bench -- compare REV [NAME…] [--minutes N]

${Object.entries(BENCHMARKS)
  .map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}`)
  .join('\n')}

  --contacts N   how many contacts, runs that wait or messages to try with (1000000, for broadcast 100000)
  --events N     how many events to try with (2000000)
  --emails N     how many emails to search (1000000), the dashboard has behind it (100000), are in the tables (depth: 10000000), or are sent (direct: 10000)
  --teams N      how many teams there are, of which one in a hundred is busy (100000)
  --days N       depth: over how many days, up to now, the emails are (90)
  --data DIR     search, depth: keep the emails here, and ask them again in the next run
  --minutes N    how long to compare each, at most (3)
  --profile      instead of figures: CPU of the service by function, of PostgreSQL by statement; NAME [PROBE…], of those of compare
  --json         the figures as JSON on stdout; progress goes to stderr either way

Figures below their mark do not fail the run: machines are noisy. Read the ratios, and repeat.`

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      contacts: { type: 'string' },
      emails: { type: 'string' },
      events: { type: 'string', default: '2000000' },
      teams: { type: 'string', default: '100000' },
      days: { type: 'string', default: '90' },
      data: { type: 'string' },
      minutes: { type: 'string', default: '3' },
      profile: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const benchmark = BENCHMARKS[positionals[0] ?? '']
  if (values.help || !benchmark) return console.log(HELP)
  const wholeNumber = (name: string, given: string | number, min = 100) => {
    const number = Number(given)
    if (!Number.isInteger(number) || number < min) throw new Error(`--${name} must be a whole number from ${min} on.`)
    return number
  }
  const amounts = {
    contacts: wholeNumber('contacts', values.contacts ?? values.emails ?? benchmark.contacts ?? 1_000_000),
    events: wholeNumber('events', values.events, 1_000),
    emails: wholeNumber('emails', values.emails ?? benchmark.emails ?? 100_000),
    teams: wholeNumber('teams', values.teams),
    days: wholeNumber('days', values.days, 1),
    minutes: Number(values.minutes),
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => cleanUp().finally(() => process.exit(130)))
  process.on('uncaughtException', (error) => {
    console.error(error)
    cleanUp().finally(() => process.exit(1))
  })
  try {
    const names = positionals.slice(1)
    if (values.profile) return await profile(names.length > 0 ? names : (benchmark.probes ?? []))
    await benchmark.run({ ...amounts, dataDir: values.data, isForMachines: values.json, names })
  } finally {
    await cleanUp()
  }
}

// A baseline runs in a process of its own, and this file is all there is to run: it is one bundle.
if (process.argv[2] === 'driver') driver()
else if (process.argv[2] === 'sink') sink()
else if (process.argv[2] === 'receiver') receiver()
else if (process.argv[2] === 'sites') await sites()
else if (process.argv[2] === 'smtp-load') smtpLoad()
else if (process.argv[2] === 'attacker') await attacker(process.argv[3]!)
else await main()
