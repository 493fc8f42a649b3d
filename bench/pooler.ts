import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from '../src/adapters/postgres/binaries.ts'
import { startEmbeddedPostgres } from '../src/adapters/postgres/embedded.ts'
import { commandFor, runAsForNewCluster } from '../src/adapters/postgres/run-as.ts'
import { atEnd } from './cleanup.ts'
import { temporaryDataDir } from './database.ts'
import { benchEmail } from './email.ts'
import { postMany, postOne, readOnce } from './load.ts'
import { progress } from './progress.ts'
import { median, printReport, type Row } from './report.ts'
import { freePort, type Service, startService } from './service.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'
const ROUNDS = 6
const EMAIL = benchEmail('shop@bench.dev')

interface Work {
  readonly what: string
  /** How many a round does. */
  readonly amount: number
  run(url: string, amount: number): Promise<unknown>
}

const WORKS: readonly Work[] = [
  {
    what: 'POST /emails, 64 connections',
    amount: 2_000,
    run: (url, amount) => postMany(`${url}/emails`, EMAIL, { connections: 64, amount }),
  },
  {
    what: 'POST /emails, one at a time',
    amount: 100,
    run: (url, amount) => times(amount, () => postOne(`${url}/emails`, EMAIL)),
  },
  {
    what: 'GET /emails, one at a time',
    amount: 100,
    run: (url, amount) => times(amount, () => readOnce(`${url}/emails`)),
  },
]

async function times(amount: number, work: () => Promise<unknown>) {
  for (let done = 0; done < amount; done++) await work()
}

/** The same work directly and through PgBouncer in session mode, with the configuration of the example, in alternating rounds on one server. */
export async function pooler({ isForMachines }: { isForMachines: boolean }) {
  if (!existsSync(PGBOUNCER)) throw new Error(`${PGBOUNCER} is missing: apt-get install pgbouncer.`)
  const dataDir = temporaryDataDir('-pooler')
  const log = { info() {}, warn: (text: string) => console.error(text) }
  const embedded = await startEmbeddedPostgres({ dataDir, log, settings: { max_connections: '100' } })
  atEnd(() => embedded.stop())
  const admin = new pg.Client(embedded.connection)
  await admin.connect()
  await admin.query('create database directly')
  await admin.query('create database pooled')
  await admin.end()
  const { host, port, user } = embedded.connection
  const direct = `postgres://${user}@localhost:${port}/directly?host=${encodeURIComponent(host!)}`
  const services = [
    await start('direct', direct),
    await start('pooled', await startPgBouncer(dataDir, `host=${host} port=${port} dbname=pooled user=${user}`)),
  ]
  const rows: Row[] = []
  for (const work of WORKS) rows.push(await compare(work, services))
  printReport(rows, isForMachines)
}

const start = (name: string, url: string) =>
  startService(temporaryDataDir(`-${name}`), 'postwren serve', { POSTWREN_ROLES: 'api', POSTWREN_DATABASE_URL: url })

async function compare({ what, amount, run }: Work, services: readonly Service[]): Promise<Row> {
  const milliseconds: number[][] = services.map(() => [])
  for (const { url } of services) await run(url, amount)
  for (let round = 0; round < ROUNDS; round++) {
    progress(`${what}: round ${round + 1} of ${ROUNDS}`)
    const order = round % 2 === 0 ? [0, 1] : [1, 0]
    for (const index of order) {
      const begin = performance.now()
      await run(services[index]!.url, amount)
      milliseconds[index]!.push((performance.now() - begin) / amount)
    }
  }
  const [directly, pooled] = milliseconds.map(median) as [number, number]
  const ratios = milliseconds[1]!.map((pooled, round) => pooled / milliseconds[0]![round]!)
  return {
    what,
    ours: `${pooled.toFixed(2)} ms through PgBouncer`,
    baseline: `${directly.toFixed(2)} ms`,
    figure: median(ratios),
    ...{ unit: '×', wanted: 'at most', must: null, dream: null },
  }
}

/** With the configuration of the example, but for addresses. Everybody may connect: the folder is ours. */
async function startPgBouncer(folder: string, target: string): Promise<string> {
  const port = await freePort()
  const own = join(folder, 'pgbouncer')
  mkdirSync(own)
  chmodSync(own, 0o755)
  const file = join(own, 'pgbouncer.ini')
  const example = readFileSync('examples/pgbouncer/pgbouncer.ini', 'utf8')
  const changed = example
    .replace('host=10.0.0.5 port=5432 dbname=postwren', target)
    .replace('listen_port = 6432', `listen_port = ${port}`)
    .replace('auth_type = scram-sha-256', 'auth_type = any')
    .replace(/^auth_file = .*$/m, '')
    .replace('default_pool_size = 140', 'default_pool_size = 60')
  writeFileSync(file, changed)
  const { file: program, args, options } = commandFor(await runAsForNewCluster(own, findBinaries()), PGBOUNCER, [file])
  const child = spawn(program, args, { ...options, stdio: 'ignore' })
  const closed = once(child, 'close')
  atEnd(async () => {
    child.kill('SIGTERM')
    await closed
  })
  const url = `postgres://any@127.0.0.1:${port}/postwren`
  while (!(await canConnect(url))) await delay(50)
  return url
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
