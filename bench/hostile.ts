import { setTimeout as delay } from 'node:timers/promises'
import { insertApiKey } from '../src/features/api-keys/queries.ts'
import { newToken } from '../src/features/api-keys/token.ts'
import { ensureTeam } from '../src/features/teams/queries.ts'
import { sql } from '../src/kernel/db/sql.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { benchEmail } from './email.ts'
import { startAttack } from './hostile/attacker.ts'
import { ATTACKS } from './hostile/index.ts'
import { type Felt, feel } from './hostile/victim.ts'
import { calm, watchingMemory } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, printReport, type Row } from './report.ts'
import { API_KEY, freePort, type Service, startService } from './service.ts'

const SECONDS = 10
const BUILD_UP_MS = 2_000
const IDLE_ROUNDS = 3
const CONTACTS = 20_000
/** Quarters of an hour: a year of them is what metrics are asked about. */
const COUNTED_QUARTERS = 35_000

/** How many times the p99 of an idle service another team may feel. */
const ALONE = { must: 5, dream: 2 }
const TOGETHER = { must: 20, dream: 5 }

/** Said among the names of attacks: not each of them alone. */
const ONLY_TOGETHER = 'together'

interface Stage {
  readonly service: Service
  readonly target: { url: string; token: string; smtpPort: number }
}

/** What one team feels while another does its worst: each attack alone, and then all of them together; or those that were named; or only `together`. */
export async function hostile({ isForMachines, names }: { isForMachines: boolean; names: readonly string[] }) {
  const chosen = names.filter((name) => name !== ONLY_TOGETHER)
  const attacks = ATTACKS.map(({ name }) => name).filter((name) => chosen.length === 0 || chosen.includes(name))
  const dataDir = temporaryDataDir()
  const smtpPort = await freePort()
  // The limits that an operator has who sets none.
  const settings = { POSTWREN_SMTP_PORT: String(smtpPort), POSTWREN_RATE_LIMIT: '1000' }
  const service = await startService(dataDir, 'postwren serve', settings)
  const database = await joinDatabase(dataDir)
  const stage = { service, target: { url: service.url, token: await makeAttacker(database), smtpPort } }
  await database.leave()
  await measure(stage, []) // warm
  await calm()
  const idle = await measureIdle(stage)
  const rows: Row[] = [rowOf('nobody attacks', idle, idle)]
  const rounds = names.includes(ONLY_TOGETHER) ? [] : attacks.map((name) => [name])
  if (attacks.length > 1) rounds.push(attacks)
  for (const round of rounds) {
    const isAll = round.length > 1
    const what = isAll ? 'all of them together' : round[0]!
    progress(`attack: ${what}`)
    const felt = await measure(stage, round)
    rows.push(rowOf(what, felt, idle, isAll ? TOGETHER : ALONE))
    if (isAll) rows.push(healthRow(what, felt))
    await calm()
  }
  await service.stop()
  note(`${SECONDS} s each; an email every 20 ms; loopback, attackers on the same machine`)
  printReport(rows, isForMachines)
}

interface Measured extends Felt {
  readonly peakMiB: number
}

async function measure({ service, target }: Stage, names: readonly string[]): Promise<Measured> {
  const stops = await Promise.all(names.map((name) => startAttack(name, target)))
  if (names.length > 0) await delay(BUILD_UP_MS)
  const { result, peakMiB } = await watchingMemory(service.pid, () =>
    feel(service.url, API_KEY, benchEmail('victim@bench.dev'), SECONDS),
  )
  await Promise.all(stops.map((stop) => stop()))
  return { ...result, peakMiB }
}

/** The middle one of three: the p99 of ten quiet seconds is five requests, and one hiccup of the machine would excuse every attack. */
async function measureIdle(stage: Stage): Promise<Measured> {
  const rounds: Measured[] = []
  for (let round = 0; round < IDLE_ROUNDS; round++) rounds.push(await measure(stage, []))
  return rounds.toSorted((a, b) => a.p99 - b.p99)[Math.floor(IDLE_ROUNDS / 2)]!
}

const ms = (value: number) => `${value.toFixed(1)} ms`

function rowOf(what: string, felt: Measured, idle: Measured, marks = ALONE): Row {
  const refused = felt.refused > 0 ? `, ${felt.refused} refused` : ''
  return {
    what: `POST /emails: ${what}`,
    ours: `p50 ${ms(felt.p50)}, p99 ${ms(felt.p99)}${refused}; /health at worst ${ms(felt.worstHealth)}; ${mebibytes(felt.peakMiB)}`,
    baseline: `p50 ${(felt.p50 / idle.p50).toFixed(1)} ×`,
    figure: felt.p99 / idle.p99,
    unit: '×',
    wanted: 'at most',
    ...marks,
  }
}

/** Whoever watches the service gives it up after a second or two, and then all of it is away. */
const healthRow = (what: string, { worstHealth }: Measured): Row => ({
  what: `GET /health: ${what}`,
  ours: ms(worstHealth),
  baseline: '',
  figure: worstHealth,
  unit: 'ms',
  wanted: 'at most',
  must: 250,
  dream: 50,
})

/** A team with much to list and much to count. Gives its key. */
async function makeAttacker({ db }: JoinedDatabase): Promise<string> {
  const { id: team } = await ensureTeam(db, 'attacker')
  const token = newToken()
  await insertApiKey(db, team, { name: 'attacker', permission: 'full_access', token })
  await db.queryPooled(sql`
    insert into contacts (team_id, id, email, first_name, created_at, updated_at)
    select ${team}::uuid, gen_random_uuid(), 'user' || n || '@example.com', repeat('x', 1000), now(), now()
    from generate_series(1, ${CONTACTS}::int) n`)
  await db.queryPooled(sql`
    insert into metric_counts
    select ${team}::uuid, date_bin('15 minutes', now(), 'epoch') - n * interval '15 minutes', d.id, d.id,
      1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
    from generate_series(1, ${COUNTED_QUARTERS}::int) n,
      (select gen_random_uuid() as id from generate_series(1, 5)) d`)
  return token
}
