import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/kernel/db/sql.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { benchEmail } from './email.ts'
import { postRate } from './load.ts'
import { calm, descendantPids, memoryMiB, treeCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, median, printReport, type Row, rate } from './report.ts'
import { addDomain, endToEnd } from './send.ts'
import { type Service, startService } from './service.ts'
import { startSink } from './sink.ts'

const COUNTS = [1, 2, 4]
const CONNECTIONS = 64
const ROUNDS = 3
const ROUND_SECONDS = 4
const MESSAGES = 3_000
/** In the first seconds a process still has what its start needed: V8 gives it back within a minute. */
const IDLE_MS = 80_000

/** `postwren serve` with so many processes, on an embedded PostgreSQL of its own. */
interface Contender {
  readonly count: number
  readonly service: Service
  readonly database: JoinedDatabase
}

/** What `POSTWREN_PROCESSES` brings: the same work with 1, 2 and 4 processes in alternating rounds, and what each of them needs. */
export async function everyCore({ isForMachines }: { isForMachines: boolean }) {
  printReport([...(await accepting()), ...(await sending())], isForMachines)
}

/** Only the API runs: what is accepted stays in the ledger. */
async function accepting(): Promise<Row[]> {
  const contenders = await startAll('-accept', { POSTWREN_ROLES: 'api' })
  const email = benchEmail('shop@bench.dev')
  const load = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
  const rates = await alternate('accepting', contenders, async ({ service }) => {
    const accepted = await postRate(`${service.url}/emails`, email, load)
    return { perSecond: accepted, emails: accepted * ROUND_SECONDS }
  })
  await stopAll(contenders)
  return rows(`POST /emails accepted durably, ${CONNECTIONS} connections`, rates)
}

/** Everything runs, and mail leaves through a relay that is our sink. */
async function sending(): Promise<Row[]> {
  const sink = await startSink()
  const relay = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}` }
  const contenders = await startAll('-send', relay)
  for (const { service, database } of contenders) await addDomain(service, database, 'ed.bench.dev', 'ed25519')
  const memory = await idleMemory(contenders)
  const rates = await alternate('sending', contenders, async ({ service, database }) => {
    const perSecond = await endToEnd(service, database, sink, benchEmail('shop@ed.bench.dev'), MESSAGES)
    return { perSecond, emails: MESSAGES }
  })
  await stopAll(contenders)
  await sink.stop()
  return [...rows('accepted → DKIM Ed25519 → sink, events written', rates), memory]
}

async function startAll(name: string, settings: Record<string, string>): Promise<Contender[]> {
  const contenders: Contender[] = []
  for (const count of COUNTS) {
    progress(`starting ${processes(count)}`)
    const dataDir = temporaryDataDir(`${name}-${count}`)
    const service = await startService(dataDir, 'postwren serve', { ...settings, POSTWREN_PROCESSES: String(count) })
    const database = await joinDatabase(dataDir)
    await running(database, count)
    contenders.push({ count, service, database })
  }
  return contenders
}

/** The others follow when the first is up. */
async function running({ db }: JoinedDatabase, count: number) {
  for (;;) {
    const [{ nodes }] = (await db.query<{ nodes: number }>(sql`select count(*)::int as nodes from nodes`)) as [
      { nodes: number },
    ]
    if (nodes >= count) return
    await delay(50)
  }
}

async function stopAll(contenders: readonly Contender[]) {
  for (const { service, database } of contenders) {
    await service.stop()
    await database.leave()
  }
}

/** The median rate of each. The first round warms up and does not count. */
async function alternate(
  name: string,
  contenders: readonly Contender[],
  work: (contender: Contender) => Promise<{ perSecond: number; emails: number }>,
): Promise<Map<number, number>> {
  const taken = new Map<number, number[]>(contenders.map(({ count }) => [count, []]))
  for (let round = 0; round <= ROUNDS; round++)
    for (const contender of contenders) {
      const { count } = contender
      progress(`${name} with ${processes(count)}, ${round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`}`)
      await calm()
      const before = cpuOf(contender)
      const { perSecond, emails } = await work(contender)
      if (round > 0) taken.get(count)!.push(perSecond)
      if (round === ROUNDS) {
        const [own, postgres] = cpuOf(contender).map((value, index) => (value - before[index]!) / 1_000 / emails)
        note(
          `${name} with ${processes(count)}: CPU for each email: Node ${own!.toFixed(2)} ms, PostgreSQL ${postgres!.toFixed(2)} ms`,
        )
      }
    }
  return new Map([...taken].map(([count, rates]) => [count, median(rates)]))
}

/** Of the processes of Node, and of PostgreSQL's, which one of them has started. */
function cpuOf({ service, database }: Contender): [number, number] {
  const postgres = treeCpuMicroseconds(database.pid)
  return [treeCpuMicroseconds(service.pid) - postgres, postgres]
}

/** What one process more takes, from two to four of them: both have a supervisor. */
async function idleMemory(contenders: readonly Contender[]): Promise<Row> {
  progress('idle memory')
  await delay(IDLE_MS)
  const taken = new Map(contenders.map((contender) => [contender.count, nodeMiB(contender)]))
  const all = [...taken].map(([count, value]) => `${processes(count)} ${mebibytes(value)}`).join(', ')
  note(`memory when idle, without PostgreSQL: ${all}`)
  const each = (taken.get(4)! - taken.get(2)!) / 2
  return {
    what: 'memory of each added process when idle',
    ours: mebibytes(each),
    baseline: null,
    figure: each,
    unit: 'MiB',
    wanted: 'at most',
    must: 60,
    dream: 50,
  }
}

function nodeMiB({ service, database }: Contender): number {
  const ofPostgres = new Set(descendantPids(database.pid))
  return memoryMiB(descendantPids(service.pid).filter((pid) => !ofPostgres.has(pid)))
}

/** Each against one process. */
const rows = (what: string, rates: ReadonlyMap<number, number>): Row[] =>
  [...rates]
    .filter(([count]) => count > 1)
    .map(([count, perSecond]) => ({
      what: `${what}, ${processes(count)}`,
      ours: rate(perSecond, 'emails/s'),
      baseline: `${rate(rates.get(1)!, 'emails/s')} (1 process)`,
      figure: perSecond / rates.get(1)!,
      unit: '×',
      wanted: 'at least',
      must: null,
      dream: null,
    }))

const processes = (count: number) => (count === 1 ? '1 process' : `${count} processes`)
