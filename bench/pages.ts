import type { JoinedDatabase } from './database.ts'
import { type Manner, startDriver } from './driver.ts'
import { readOnce, requestRate, warmUp } from './load.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { median, type Row, rate } from './report.ts'
import type { Service } from './service.ts'

export const LIMIT = 20
const CONNECTIONS = 32
const ROUNDS = 8
const ROUND_SECONDS = 2
/** Until then a good part of the time goes into code that is not compiled yet, which no service does for long. */
const WARM_UP_PAGES = 30_000

const DEPTH_ROUNDS = 3
const DEPTH_REQUESTS = 1_000

/** Of one page: who spent how many microseconds of CPU on it. */
interface Cost {
  readonly rate: number
  readonly asking: number
  readonly service: number
  readonly database: number
}

/** Pages over HTTP against the same statement without it, in turns; the best round of each counts. */
export async function pages(service: Service, database: JoinedDatabase, team: string): Promise<Row[]> {
  const url = `${service.url}/contacts?limit=${LIMIT}`
  const driver = startDriver()
  const load = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
  const task = { connection: database.connection, team, limit: LIMIT, callers: CONNECTIONS, seconds: ROUND_SECONDS }

  const ways = {
    http: () => measure(service, database, process.pid, () => requestRate(url, load)),
    lanes: () => measure(service, database, driver.pid, () => driver.pageRate({ ...task, manner: 'lanes' })),
    pool: () => measure(service, database, driver.pid, () => driver.pageRate({ ...task, manner: 'pool' })),
  }
  progress('pages: warming up')
  await warmUp(url, { connections: CONNECTIONS, amount: WARM_UP_PAGES })
  for (const manner of ['lanes', 'pool'] satisfies Manner[]) await driver.pageRate({ ...task, manner })

  const rounds: Record<keyof typeof ways, Cost[]> = { http: [], lanes: [], pool: [] }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const way of ['http', 'lanes', 'pool'] as const) {
      progress(`pages of ${LIMIT}: round ${round} of ${ROUNDS}, ${way}`)
      await calm()
      rounds[way].push(await ways[way]())
    }
  }
  await driver.stop()

  const best = (way: keyof typeof ways) => rounds[way].reduce((a, b) => (b.rate > a.rate ? b : a))
  const { http, lanes, pool } = { http: best('http'), lanes: best('lanes'), pool: best('pool') }
  note('CPU for a page in the best round, µs:')
  note(`  over HTTP   service ${http.service}, PostgreSQL ${http.database}, load generator ${http.asking}`)
  note(`  by lanes    driver ${lanes.asking}, PostgreSQL ${lanes.database}`)
  note(`  by a pool   driver ${pool.asking}, PostgreSQL ${pool.database}`)
  const row = {
    ours: rate(http.rate, 'pages/s'),
    unit: '×',
    wanted: 'at least',
  } as const
  return [
    {
      ...row,
      what: `page of ${LIMIT} contacts over HTTP, ${CONNECTIONS} connections`,
      baseline: rate(lanes.rate, 'pages/s'),
      figure: http.rate / lanes.rate,
      must: 0.45,
      dream: 0.7,
    },
    {
      ...row,
      what: '– against a pool of the driver instead of our pipelined lanes',
      baseline: rate(pool.rate, 'pages/s'),
      figure: http.rate / pool.rate,
      must: null,
      dream: null,
    },
  ]
}

async function measure(service: Service, database: JoinedDatabase, asker: number, work: () => Promise<number>) {
  const spent = () => ({
    asking: cpuMicroseconds(asker),
    service: cpuMicroseconds(service.pid),
    database: familyCpuMicroseconds(database.pid),
  })
  const before = spent()
  const rate = await work()
  const after = spent()
  const each = (who: keyof typeof before) => Math.round((after[who] - before[who]) / (rate * ROUND_SECONDS))
  return { rate, asking: each('asking'), service: each('service'), database: each('database') }
}

/** One request after the other, one of each kind in turn, so that whatever disturbs one disturbs the other as well. */
export async function depth(service: Service, deepId: string, contacts: number): Promise<Row> {
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
    if (round > 0) times.push(taken) // the first one compiles
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
