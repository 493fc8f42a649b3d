import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/kernel/db/sql.ts'
import { type Contender, startContender } from './compare/contender.ts'
import { PROBES, type Stage } from './compare/probes.ts'
import { type Usage, usageOf } from './compare/usage.ts'
import { calm, descendantPids, memoryMiB } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, printReport, type Row, rate } from './report.ts'

const COUNTS = [1, 2, 4]
const ROUNDS = 2
/** In the first seconds a process still has what its start needed: V8 gives it back within a minute. */
const IDLE_MS = 60_000

/** `postwren serve` with so many processes, on an embedded PostgreSQL of its own. */
interface Installation {
  readonly count: number
  readonly contender: Contender
}

/** What `POSTWREN_PROCESSES` brings: the same work with 1, 2 and 4 processes in alternating rounds, and what each of them needs. */
export async function everyCore({ isForMachines }: { isForMachines: boolean }) {
  const memory: Row[] = []
  const rows = [
    ...(await measure('accept')),
    ...(await measure('ed25519', async (installations) => void memory.push(await idleMemory(installations)))),
    ...(await measure('broadcast')),
  ]
  printReport([...rows, ...memory], isForMachines)
}

/** A probe of `compare`, with each number of processes. */
async function measure(
  name: string,
  whileIdle: (installations: readonly Installation[]) => Promise<void> = async () => {},
) {
  const { summary, unit, prepare } = PROBES[name]!
  const stage = await prepare()
  const installations: Installation[] = []
  for (const count of COUNTS) {
    progress(`${summary}: starting ${processes(count)}`)
    const settings = { ...(await stage.settings()), POSTWREN_PROCESSES: String(count) }
    const contender = await startContender({ folder: '.', name: processes(count) }, settings)
    await running(contender, count)
    installations.push({ count, contender })
  }
  await whileIdle(installations)
  const figures = await alternate(stage, installations, { summary, unit })
  for (const { contender } of installations) await contender.stop()
  await stage.end()
  return rows(summary, unit, figures)
}

/** The others follow when the first is up. */
async function running({ database: { db } }: Contender, count: number) {
  for (;;) {
    const [row] = await db.query<{ nodes: number }>(sql`select count(*)::int as nodes from nodes`)
    if (row!.nodes >= count) return
    await delay(50)
  }
}

/** How many of the unit each does in a second. */
async function alternate(
  stage: Stage,
  installations: readonly Installation[],
  { summary, unit }: { summary: string; unit: string },
): Promise<ReadonlyMap<number, number>> {
  const taken = new Map(COUNTS.map((count) => [count, { done: 0, seconds: 0, used: NOTHING }]))
  for (let round = 0; round <= ROUNDS; round++)
    for (const { count, contender } of installations) {
      progress(`${summary}, ${processes(count)}, ${round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`}`)
      if (round === 0) {
        await stage.begin(contender)
        continue
      }
      await calm()
      const before = await usageOf(contender)
      const begin = performance.now()
      const done = await stage.round(contender)
      const seconds = (performance.now() - begin) / 1_000
      const last = taken.get(count)!
      const used = add(last.used, await usageOf(contender), before)
      taken.set(count, { done: last.done + done, seconds: last.seconds + seconds, used })
    }
  for (const [count, { done, used }] of taken) note(`${summary}, ${processes(count)}: ${eachOf(used, done)} a ${unit}`)
  return new Map([...taken].map(([count, { done, seconds }]) => [count, done / seconds]))
}

const NOTHING: Usage = { service: 0, postgres: 0, walBytes: 0, transactionIds: 0, buffers: 0 }

const add = (sum: Usage, after: Usage, before: Usage): Usage => ({
  service: sum.service + after.service - before.service,
  postgres: sum.postgres + after.postgres - before.postgres,
  walBytes: sum.walBytes + after.walBytes - before.walBytes,
  transactionIds: sum.transactionIds + after.transactionIds - before.transactionIds,
  buffers: sum.buffers + after.buffers - before.buffers,
})

const eachOf = ({ service, postgres, walBytes, transactionIds }: Usage, done: number) =>
  [
    `CPU of Node ${(service / done).toFixed(2)} ms`,
    `of PostgreSQL ${(postgres / done).toFixed(2)} ms`,
    `WAL ${(walBytes / 1_000 / done).toFixed(2)} kB`,
    `transaction ids ${(transactionIds / done).toFixed(3)}`,
  ].join(', ')

/** What one process more takes, from two to four of them: both have a supervisor. */
async function idleMemory(installations: readonly Installation[]): Promise<Row> {
  progress('idle memory')
  await delay(IDLE_MS)
  const taken = new Map(installations.map(({ count, contender }) => [count, nodeMiB(contender)]))
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
const rows = (what: string, unit: string, rates: ReadonlyMap<number, number>): Row[] =>
  [...rates]
    .filter(([count]) => count > 1)
    .map(([count, perSecond]) => ({
      what: `${what}, ${processes(count)}`,
      ours: rate(perSecond, inASecond(unit)),
      baseline: `${rate(rates.get(1)!, inASecond(unit))} (1 process)`,
      figure: perSecond / rates.get(1)!,
      unit: '×',
      wanted: 'at least',
      must: null,
      dream: null,
    }))

const inASecond = (unit: string) => `${unit.replace(/y$/, 'ie')}s/s`

const processes = (count: number) => (count === 1 ? '1 process' : `${count} processes`)
