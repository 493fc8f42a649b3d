import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { openBackend } from '../../../test/harness/backends.ts'
import { readBuffers } from '../../../test/harness/buffers.ts'
import { claimDue as claimDeliveries } from '../../features/emails/delivery/ledger/queries.ts'
import { claimDue as claimJobs } from '../jobs/queries.ts'
import { ClaimCursor, OVERLAP_MS } from './claim-cursor.ts'
import type { Queryable } from './database.ts'
import { type Sql, sql } from './sql.ts'

const PASSED = 3_000
const LIMIT = 1_000
const NODE = 1
const JOB = 'test.claimed'

interface Queue {
  readonly name: string
  /** Rows that are due at a moment. */
  add(at: Date): Sql
  claim(db: Queryable, now: Date, since: Date | null): Promise<readonly Date[]>
  readonly settle: Sql
}

const QUEUES: readonly Queue[] = [
  {
    name: 'deliveries',
    add: (at) => sql`
      insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
      select gen_random_uuid(), uuidv7(), 0, 'ada@example.com', ${at}, ${at}::timestamptz + interval '3 days' from generate_series(1, ${PASSED}::int)`,
    claim: async (db, now, since) =>
      (await claimDeliveries(db, { node: NODE, now, of: [{ priority: 0, limit: LIMIT, since }] })).map(
        ({ dueAt }) => new Date(dueAt),
      ),
    settle: sql`update deliveries set state = 'delivered', holder = null, settled_at = now(), attempts = 1 where state = 'waiting' and holder = ${NODE}`,
  },
  {
    name: 'jobs',
    add: (at) => sql`
      insert into jobs (id, name, payload, run_at, created_at)
      select uuidv7(), ${JOB}, '{}', ${at}, ${at} from generate_series(1, ${PASSED}::int)`,
    claim: async (db, now, since) => {
      const claim = { names: [JOB], node: NODE, now, since, limit: LIMIT, perTeam: LIMIT, isForCrashed: false }
      return (await claimJobs(db, { ...claim, teams: new Map() })).map(({ runAt }) => new Date(runAt))
    },
    settle: sql`delete from jobs where holder = ${NODE}`,
  },
]

test.each(QUEUES)('a look for $name that finds nothing reads as little under an old snapshot', async (queue) => {
  const app = await startApp()
  const { db } = app
  const backend = await openBackend()
  onTestFinished(async () => void (await backend.release()))
  const cursor = new ClaimCursor()
  const claimAt = async (now: Date, through: Queryable = db) => {
    const start = cursor.begin()
    const found = await queue.claim(through, now, start.since)
    cursor.finish(start, { found, limit: LIMIT, now, tookMs: 0 })
    return found.length
  }
  const costAt = async (now: Date) => {
    // A sweep looks at all of them, and is no more than a twentieth of the time.
    if (cursor.begin().since === null) await claimAt(now)
    let buffers = 0
    const counting: Queryable = {
      clock: db.clock,
      query: async <Row>(statement: Sql) => {
        buffers = await readBuffers(db, statement)
        return db.query<Row>(statement)
      },
    }
    expect(await claimAt(now, counting)).toBe(0)
    return buffers
  }
  const now = app.clock.now()
  const later = (ms: number) => new Date(now.getTime() + ms)

  await claimAt(now)
  const empty = await costAt(now)
  await backend.hold('set transaction isolation level repeatable read')
  await backend.wantToo('select from teams')
  await db.query(queue.add(later(1)))
  for (let claimed = 0; claimed < PASSED; ) {
    claimed += await claimAt(later(1))
    await db.query(queue.settle)
  }
  // They are in the index as long as the snapshot is open, and within what a claim looks at a second time.
  expect(await costAt(later(1))).toBeGreaterThan(2 * empty)
  await claimAt(later(OVERLAP_MS + 2))

  expect(await costAt(later(OVERLAP_MS + 3))).toBeLessThanOrEqual(2 * empty)
})
