import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { OVERLAP_MS } from '../../src/kernel/db/claim-cursor.ts'
import { note, progress } from '../progress.ts'
import { median, type Row } from '../report.ts'
import { type Queue, queuesOn } from './queues.ts'
import { call, openSession, type Stage } from './stage.ts'

const CLAIMS = 15
const CLAIMED = 100
const PASSED = 100_000
const PIECE = 500
const BACKLOG = 1_000_000
const BACKLOG_PIECE = 20_000
/** So many are nothing: twice no page at all would be none. */
const FEW = 10

/** Pages that a claim looks at: of a hundred rows that are due, and when nothing is. */
interface Cost {
  readonly full: number
  readonly idle: number
}

/** Claims of all queues in a database without history, with it, with a backlog, and while an old snapshot is open. */
export async function claims(empty: Stage, deep: Stage): Promise<Row[]> {
  const [fresh, filled] = [await queuesOf(empty), await queuesOf(deep)]
  const rows: Row[] = []
  for (const [index, first] of fresh.queues.entries()) {
    const queue = filled.queues[index]!
    progress(`claims: ${queue.name}`)
    const baseline = await costOf(fresh.session, first)
    rows.push(...rowsOf(queue.name, 'with all its history', { cost: await costOf(filled.session, queue), baseline }))
    const passed = await whileSnapshotIsOpen(deep, queue, () => costOf(filled.session, queue))
    rows.push(
      ...rowsOf(queue.name, `under a snapshot of ${PASSED.toLocaleString('en')} rows ago`, { cost: passed, baseline }),
    )
    await filled.session.query('vacuum')
    await addBacklog(queue)
    const [withBacklog] = rowsOf(queue.name, `with a backlog of ${BACKLOG.toLocaleString('en')}`, {
      cost: { full: await costOfClaim(filled.session, queue, { adds: 0 }), idle: 0 },
      baseline,
    })
    rows.push(withBacklog!)
  }
  await fresh.session.end()
  await filled.session.end()
  return rows
}

async function queuesOf(stage: Stage): Promise<{ session: pg.Client; queues: readonly Queue[] }> {
  const session = await openSession(stage)
  await session.query('set session_replication_role = replica')
  const webhooks = await call<{ data: { id: string }[] }>(stage, 'GET', '/webhooks')
  return { session, queues: queuesOn(session, stage.team, webhooks.data[0]!.id) }
}

async function costOf(session: pg.Client, queue: Queue): Promise<Cost> {
  const full = await costOfClaim(session, queue, { adds: CLAIMED })
  while ((await queue.claim()) > 0) await queue.settle()
  // What was claimed a moment ago is looked at a second time: that is of the claims above, and not of a queue in which nothing is due.
  await delay(2 * OVERLAP_MS)
  await queue.claim()
  return { full, idle: await costOfClaim(session, queue, { adds: 0 }) }
}

async function costOfClaim(session: pg.Client, queue: Queue, { adds }: { adds: number }): Promise<number> {
  const buffers: number[] = []
  for (let turn = 0; turn < CLAIMS; turn++) {
    if (adds > 0) await queue.add(adds)
    const before = await buffersOf(session)
    await queue.claim()
    buffers.push((await buffersOf(session)) - before)
    await queue.settle()
  }
  // The first ones plan, and read the catalog.
  return median(buffers.slice(CLAIMS / 3))
}

/** Pages that this connection has looked at so far. What the question itself looks at is the same each time. */
async function buffersOf(session: pg.Client): Promise<number> {
  await session.query('select pg_stat_force_next_flush()')
  const { rows } = await session.query<{ buffers: number }>(
    'select sum(coalesce(hits, 0) + coalesce(reads, 0))::float8 as buffers from pg_stat_get_backend_io(pg_backend_pid())',
  )
  return rows[0]!.buffers
}

async function whileSnapshotIsOpen<Result>(stage: Stage, queue: Queue, work: () => Promise<Result>): Promise<Result> {
  const old = await openSession(stage)
  await old.query('begin isolation level repeatable read; select 1 from teams')
  for (let passed = 0; passed < PASSED; passed += PIECE) {
    progress(`${queue.name} under an old snapshot: ${passed.toLocaleString('en')} of ${PASSED.toLocaleString('en')}`)
    await queue.add(PIECE)
    while ((await queue.claim()) > 0) await queue.settle()
  }
  // A claim looks at what was due a little before its cursor, too. Here that is more than in any real second.
  await delay(2 * OVERLAP_MS)
  const result = await work()
  await old.query('rollback')
  await old.end()
  return result
}

async function addBacklog(queue: Queue) {
  for (let added = 0; added < BACKLOG; added += BACKLOG_PIECE) {
    progress(`${queue.name}, backlog: ${added.toLocaleString('en')} of ${BACKLOG.toLocaleString('en')}`)
    await queue.add(BACKLOG_PIECE)
  }
}

function rowsOf(queue: string, situation: string, { cost, baseline }: { cost: Cost; baseline: Cost }): Row[] {
  const row = (what: string, ours: number, buffers: number): Row => {
    const base = Math.max(FEW, buffers)
    if (ours / base > 2) note(`${(ours / base).toFixed(1)} × buffers: ${what}`)
    return {
      what,
      ours: `${ours.toFixed(0)} buffers`,
      baseline: `${buffers.toFixed(0)} buffers (empty)`,
      ...{ figure: ours / base, unit: '×', wanted: 'at most', must: 2, dream: 1.2 },
    }
  }
  return [
    row(`claim of ${CLAIMED} ${queue} ${situation}`, cost.full, baseline.full),
    row(`claim of ${queue} ${situation}, none due`, cost.idle, baseline.idle),
  ]
}
