import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/platform/db/sql.ts'
import { contactRows } from '../src/resources/contacts/queries.ts'
import { atEnd } from './cleanup.ts'
import { readCopy } from './copy.ts'
import { type JoinedDatabase, joinDatabase } from './database.ts'
import { startDriver } from './driver.ts'
import { importContacts } from './import.ts'
import { readOnce, requestRate } from './load.ts'
import { calm, cpuMicroseconds, residentMiB, watchingGrowth } from './processes.ts'
import { note, progress } from './progress.ts'
import { median, printReport, type Row, rate } from './report.ts'
import { type Service, startService } from './service.ts'

const LIMIT = 20
const CONNECTIONS = 32
const ROUNDS = 6
const ROUND_SECONDS = 3
const DEPTH_ROUNDS = 3
const DEPTH_REQUESTS = 1_000
const WHOLE_LISTS = 4
const STARTS = 5
const IDLE_SECONDS = 5

/** The rows of the table of figures that are about lists, and what the service costs when nobody asks for anything. */
export async function lists({ contacts, isForMachines }: { contacts: number; isForMachines: boolean }) {
  // Not made here: the service makes it so that the user who runs PostgreSQL gets through.
  const dataDir = join(tmpdir(), `postwren-bench-${process.pid}`)
  atEnd(() => rmSync(dataDir, { recursive: true, force: true }))

  let service = await startService(dataDir, 'postwren serve')
  note(`first start: ${seconds(service.startMs)} (with what was stale of the build)`)
  await load(service, contacts)
  const database = await joinDatabase(dataDir)
  const { team, deepId } = await settle(database)

  const rows: Row[] = []
  rows.push(await pages(service, database, team))
  rows.push(await depth(service, deepId, contacts))
  note(`memory of the service after all this: ${residentMiB(service.pid).toFixed(0)} MiB`)
  // A new process, because what the old one took for the load above would hide what the list takes.
  await service.stop()
  service = await startService(dataDir, 'postwren serve')
  rows.push(...(await wholeList(service, database, team, contacts)))
  await service.stop()
  await database.leave()

  rows.push(await idleMemory(dataDir))
  rows.push(await warmStart(dataDir))
  printReport(rows, isForMachines)
}

async function load(service: Service, contacts: number) {
  const { result, growthMiB } = await watchingGrowth(service.pid, () => importContacts(service.url, contacts))
  const { uploadedMs, tookMs } = result
  note(
    `import: ${contacts.toLocaleString('en')} contacts in ${seconds(tookMs)} (upload ${seconds(uploadedMs)}), ` +
      `${rate(contacts / (tookMs / 1_000), 'contacts/s')}; the service grew by ${growthMiB.toFixed(0)} MiB meanwhile`,
  )
}

/** What PostgreSQL would do by itself within minutes of such an import, done now so that it does not happen in a round. */
async function settle({ db }: JoinedDatabase) {
  progress('settling: vacuum, analyze, checkpoint')
  await db.querySlowly(sql`vacuum analyze contacts`)
  await db.querySlowly(sql`checkpoint`)
  const [oldest] = await db.query<{ team: string; deepId: string }>(
    sql`select team_id as team, id as "deepId" from contacts order by team_id, id limit 1 offset ${LIMIT + 1}`,
  )
  return oldest!
}

async function pages(service: Service, { connection }: JoinedDatabase, team: string): Promise<Row> {
  const url = `${service.url}/contacts?limit=${LIMIT}`
  const driver = startDriver()
  const ours: number[] = []
  const baseline: number[] = []
  let served = 0
  let cpu = 0
  for (let round = 0; round <= ROUNDS; round++) {
    progress(`pages of ${LIMIT}: round ${round} of ${ROUNDS}`)
    await calm()
    const before = cpuMicroseconds(service.pid)
    const http = await requestRate(url, { connections: CONNECTIONS, seconds: ROUND_SECONDS })
    const used = cpuMicroseconds(service.pid) - before
    await calm()
    const bare = await driver.pageRate({ connection, team, limit: LIMIT, callers: CONNECTIONS, seconds: ROUND_SECONDS })
    if (round === 0) continue // both compile their code in the first
    ours.push(http)
    baseline.push(bare.rate)
    served += http * ROUND_SECONDS
    cpu += used
    note(
      `  round ${round}: ${rate(http, 'pages/s')} over HTTP (${Math.round(used / (http * ROUND_SECONDS))} µs CPU of the service each), ` +
        `${rate(bare.rate, 'pages/s')} by the driver (${Math.round(bare.cpuMicroseconds)} µs): ${(http / bare.rate).toFixed(2)}`,
    )
  }
  await driver.stop()
  note(`pages: ${Math.round(cpu / served)} µs CPU of the service for each`)
  const best = { ours: Math.max(...ours), baseline: Math.max(...baseline) }
  return {
    what: `page of ${LIMIT} contacts over HTTP, ${CONNECTIONS} connections`,
    ours: rate(best.ours, 'pages/s'),
    baseline: rate(best.baseline, 'pages/s'),
    figure: best.ours / best.baseline,
    unit: '×',
    wanted: 'at least',
    must: 0.45,
    dream: 0.7,
  }
}

/** One request after the other, one of each kind in turn, so that whatever disturbs one disturbs the other as well. */
async function depth(service: Service, deepId: string, contacts: number): Promise<Row> {
  const first = `${service.url}/contacts?limit=${LIMIT}`
  const deep = `${first}&after=${deepId}`
  const times: { first: number[]; deep: number[] }[] = []
  for (let round = 0; round <= DEPTH_ROUNDS; round++) {
    progress(`depth: round ${round} of ${DEPTH_ROUNDS}`)
    await calm()
    const taken = { first: [] as number[], deep: [] as number[] }
    for (let request = 0; request < DEPTH_REQUESTS; request++) {
      taken.first.push((await readOnce(first)).milliseconds)
      taken.deep.push((await readOnce(deep)).milliseconds)
    }
    if (round > 0) times.push(taken)
  }
  const firstMs = Math.min(...times.map(({ first }) => median(first)))
  const deepMs = Math.min(...times.map(({ deep }) => median(deep)))
  return {
    what: `page at depth ${contacts.toLocaleString('en')}, p50`,
    ours: `${deepMs.toFixed(2)} ms`,
    baseline: `${firstMs.toFixed(2)} ms`,
    figure: deepMs / firstMs,
    unit: '×',
    wanted: 'at most',
    must: 1.15,
    dream: 1,
  }
}

async function wholeList(service: Service, { connection }: JoinedDatabase, team: string, contacts: number) {
  const { columns, from, where, id } = contactRows(team)
  const { text } = sql`select ${columns} from ${from} where ${where} order by ${id} desc`.toQuery()
  const select = text.replace('$1', `'${team}'`) // copy takes no parameters
  const ours: number[] = []
  const baseline: number[] = []
  const growth: number[] = []
  for (let round = 1; round <= WHOLE_LISTS; round++) {
    progress(`all contacts: round ${round} of ${WHOLE_LISTS}`)
    await calm()
    const whole = await watchingGrowth(service.pid, () => readOnce(`${service.url}/contacts`))
    await calm()
    const copy = await readCopy(connection, select)
    ours.push(contacts / (whole.result.milliseconds / 1_000))
    baseline.push(contacts / (copy.milliseconds / 1_000))
    growth.push(whole.growthMiB)
    note(
      `  round ${round}: ${whole.result.bytes.toLocaleString('en')} bytes in ${seconds(whole.result.milliseconds)} over HTTP ` +
        `(+${whole.growthMiB.toFixed(0)} MiB), ${copy.bytes.toLocaleString('en')} in ${seconds(copy.milliseconds)} by copy`,
    )
  }
  const best = { ours: Math.max(...ours), baseline: Math.max(...baseline) }
  const rows: Row[] = [
    {
      what: `all ${contacts.toLocaleString('en')} contacts without limit`,
      ours: rate(best.ours, 'rows/s'),
      baseline: rate(best.baseline, 'rows/s'),
      figure: best.ours / best.baseline,
      unit: '×',
      wanted: 'at least',
      must: 0.25,
      dream: 0.5,
    },
    {
      what: '– memory growth of the service meanwhile',
      ours: mebibytes(Math.max(...growth)),
      baseline: null,
      figure: Math.max(...growth),
      unit: 'MiB',
      wanted: 'at most',
      must: 64,
      dream: null,
    },
  ]
  return rows
}

async function idleMemory(dataDir: string): Promise<Row> {
  const service = await startService(dataDir, 'postwren serve')
  progress('idle memory')
  await delay(IDLE_SECONDS * 1_000)
  const resident = residentMiB(service.pid)
  await service.stop()
  return {
    what: 'memory when idle, without PostgreSQL',
    ours: mebibytes(resident),
    baseline: null,
    figure: resident,
    unit: 'MiB',
    wanted: 'at most',
    must: 150,
    dream: 100,
  }
}

async function warmStart(dataDir: string): Promise<Row> {
  const taken: number[] = []
  for (let start = 1; start <= STARTS; start++) {
    progress(`warm start: ${start} of ${STARTS}`)
    await calm()
    const service = await startService(dataDir, 'npm start')
    await service.stop()
    taken.push(service.startMs)
  }
  note(`warm starts: ${taken.map(seconds).join(', ')}`)
  return {
    what: 'warm `npm start` to /health',
    ours: seconds(Math.min(...taken)),
    baseline: null,
    figure: Math.min(...taken) / 1_000,
    unit: 's',
    wanted: 'at most',
    must: 2,
    dream: 1,
  }
}

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(2)} s`
const mebibytes = (value: number) => `${value.toFixed(0)} MiB`
