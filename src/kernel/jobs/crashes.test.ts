import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { ObservedList } from '../../../test/harness/changes.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { sql } from '../db/sql.ts'
import { type Job, job } from './job.ts'
import { claimDue, enqueue, releaseHeldBy } from './queries.ts'

const stateOf = async ({ db }: App, name: string) => {
  const rows = await db.query<{ crashes: number; error: string | null; hasFailed: boolean }>(sql`
    select crashes, last_error as error, failed_at is not null as "hasFailed" from jobs where name = ${name} order by id`)
  return rows
}

test('a job that ended three processes, two of them while it ran alone, is not run by a fourth', async () => {
  const app = await startApp()
  const program = await bundle()
  const start = async () => {
    const child = spawn(process.execPath, [program, JSON.stringify(await freshDatabase())], { stdio: 'pipe' })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void output.push(String(chunk)))
    onTestFinished(() => void child.kill('SIGKILL'))
    // Only then all of its output has come.
    return { child, output, closed: once(child, 'close') }
  }
  await app.db.transaction((trx) => enqueue(trx, { name: 'deadly' } as Job, {}))

  for (let n = 0; n < 3; n++) {
    const { closed, output } = await start()
    expect(await closed).toEqual([null, 'SIGKILL'])
    expect(output.join('')).toContain('running')
  }
  const last = await start()
  await expect
    .poll(() => stateOf(app, 'deadly'))
    .toEqual([{ crashes: 3, error: 'It crashed its process 3 times', hasFailed: true }])
  last.child.kill('SIGTERM')
  await last.closed

  expect(last.output.join('')).not.toContain('running')
  expect(last.output.join('')).toContain('jobs: job set aside')
})

test('a job that was in flight at three kills, and never ran alone, is not set aside', async () => {
  const app = await startApp()
  const seen: number[] = []
  const harmless = job<{ n: number }>({
    ...{ name: 'harmless', retryAfterSeconds: [], maxCrashes: 2 },
    run: async ({ n }) => void seen.push(n),
  })
  await app.db.transaction((trx) => enqueue(trx, harmless, { n: 1 }))
  app.clock.advance(60)
  for (let kill = 0; kill < 3; kill++) {
    const claim = {
      names: ['harmless'],
      node: -1,
      now: app.clock.now(),
      since: null,
      limit: 1,
      teams: new Map(),
      perTeam: 1,
    }
    expect(await claimDue(app.db, { ...claim, isForCrashed: kill > 0 })).toHaveLength(1)
    await releaseHeldBy(app.db, [-1], ['harmless'])
  }
  expect(await stateOf(app, 'harmless')).toMatchObject([{ crashes: 1 }])

  await app.workerFor([harmless as Job<never, unknown>]).runDue()

  expect(seen).toEqual([1])
  expect(await stateOf(app, 'harmless')).toEqual([])
})

/** Runs jobs in a node that is gone before they end, and takes them over in another. */
async function crash(jobs: readonly Job<never, unknown>[], survivor: App) {
  const gone = await startApp()
  const gate = makeGate()
  // Not of a suspicious kind for this one: it would claim suspects in a second statement, which under load came after the take-over
  // and took one of those that the survivor is to run.
  const stuck = jobs.map(
    (one) => ({ ...one, run: () => gate.opened, maxCrashes: undefined }) as unknown as Job<never, unknown>,
  )
  gone.clock.advance(60)
  const stuckRun = gone.workerFor(stuck).runDue()
  onTestFinished(async () => {
    gate.open()
    await stuckRun
  })
  const held = () => gone.db.query(sql`select from jobs where holder = ${gone.db.presence.node}`)
  await gone.until(async () => expect((await held()).length).toBeGreaterThan(0))
  const worker = survivor.workerFor(jobs)
  await gone.db.presence.start()
  await worker.start()
  const seen = () => survivor.db.presence.others.some(({ id }) => id === gone.db.presence.node)
  await expect.poll(seen).toBe(true)
  await gone.db.presence.close()
  await survivor.until(async () => expect((await held()).length).toBe(0))
  return worker
}

test('those that ran beside it are run again, one at a time, and are cleared', async () => {
  const app = await startApp()
  const seen = new ObservedList<number>()
  let [now, most] = [0, 0]
  const innocent = job<{ n: number }>({
    name: 'innocent',
    retryAfterSeconds: [],
    concurrency: 8,
    maxCrashes: 2,
    async run({ n }) {
      most = Math.max(most, ++now)
      await new Promise(setImmediate)
      seen.push(n)
      now--
    },
  })
  for (let n = 0; n < 6; n++) await app.db.transaction((trx) => enqueue(trx, innocent, { n }))

  const worker = await crash([innocent as Job<never, unknown>], app)
  app.clock.advance(60)
  await seen.until(() => expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5]))
  await worker.stop(1_000)

  expect(most).toBe(1)
  expect(await stateOf(app, 'innocent')).toEqual([])
})

test('beside one that is under suspicion nothing of its kind runs', async () => {
  const app = await startApp()
  const [gate, running] = [makeGate(), new Set<string>()]
  const beside: string[][] = []
  const kind = job<{ name: string }>({
    ...{ name: 'kind', retryAfterSeconds: [], concurrency: 8, maxCrashes: 2 },
    async run({ name }) {
      running.add(name)
      beside.push([...running].toSorted())
      if (name.startsWith('fresh')) await gate.opened
      running.delete(name)
    },
  })
  await app.db.transaction((trx) => enqueue(trx, kind, { name: 'suspect' }))
  await app.db.query(sql`update jobs set crashes = 1 where name = 'kind'`)
  for (const name of ['fresh 1', 'fresh 2']) await app.db.transaction((trx) => enqueue(trx, kind, { name }))
  app.clock.advance(60)

  const run = app.workerFor([kind as Job<never, unknown>]).runDue()
  // The suspect is held, and waits until those that have begun are done.
  const held = sql`select from jobs where name = 'kind' and holder is not null`
  await app.until(async () => expect((await app.db.query(held)).length).toBe(3))
  await app.until(() => expect(running.size).toBe(2))
  gate.open()
  await run

  expect(beside).toHaveLength(3)
  expect(beside.at(-1)).toEqual(['suspect'])
})

test('of a kind that reads nothing of strangers nothing is counted', async () => {
  const app = await startApp()
  const seen: number[] = []
  const plain = job<{ n: number }>({ name: 'plain', retryAfterSeconds: [], run: async ({ n }) => void seen.push(n) })
  // Not due yet by the clock of the one that takes it over.
  const runAt = new Date(app.clock.now().getTime() + 30_000)
  await app.db.transaction((trx) => enqueue(trx, plain, { n: 1 }, { runAt }))

  const worker = await crash([plain as Job<never, unknown>], app)

  expect(await stateOf(app, 'plain')).toMatchObject([{ crashes: 0 }])
  await worker.stop(1_000)
})

async function bundle(): Promise<string> {
  const cache = join(import.meta.dirname, '../../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'jobs-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const outfile = join(folder, 'program.mjs')
  const entry = join(import.meta.dirname, '../../../test/harness/programs/deadly-job.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  return outfile
}
