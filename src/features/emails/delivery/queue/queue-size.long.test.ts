import { expect, test } from 'vitest'
import { emptyLedger, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { DEFERRED, scriptedTransport } from '../../../../../test/harness/transport.ts'
import { boundStatements, MAX_COUNTED } from '../../../../kernel/db/bounded-read.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { countWanted, sliceStatement } from './queue-changes.ts'
import { QUEUE_STATES, type QueueFilter } from './queue-filter.ts'
import { countedRows } from './queue-list.ts'
import { retryDeferred } from './queue-retry.ts'
import { summarizeQueue } from './queue-summary.ts'

const EMAILS = 40
const ROWS = 1_000_000

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** What the statement does, as an operator runs it. */
async function explain(db: Database, statement: Sql): Promise<Plan[]> {
  const [row] = await db.transaction(async (trx) => {
    await boundStatements(trx, 30_000)
    return trx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`explain (analyze, format json) ${statement}`)
  })
  const all = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(all)]
  return all(row!['QUERY PLAN'][0].Plan)
}

/** Rows of the queue that were looked at. */
const seenIn = (plans: readonly Plan[]) =>
  plans
    .filter((plan) => plan['Relation Name'] === 'waiting_deliveries')
    .reduce(
      (sum, plan) => sum + (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
      0,
    )

/** Three eighths parked for a site that is dead, the rest deferred, scheduled and due. The domain `rare.dev` has ten of them. */
async function startWithMillion() {
  const { app, acme } = await startAcme({}, { transport: scriptedTransport(() => DEFERRED).transport })
  await emptyLedger(app)
  for (let sent = 0; sent < EMAILS; sent++) await sendEmail(acme, { to: `r0-${sent}@x.dev` })
  await app.db.queryPooled(sql`
    insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at, parked_for, claims, priority)
    select team_id, email_id, n, 'r' || n || case when n = 25000 and e.number % 4 = 1 then '@rare.dev' else '@x.dev' end,
      case when n % 4 = 3 then due_at else due_at + n * interval '1 second' end, give_up_at,
      case when n % 2 = 1 and n % 4 <> 3 or n % 8 = 2 then 'mx.dead.dev' end, case when n % 4 = 0 then 1 else 0 end, n % 2
    from (select *, row_number() over (order by email_id) as number from deliveries) e, generate_series(1, ${ROWS / EMAILS}::int) n`)
  await app.db.queryPooled(sql`analyze deliveries`)
  return { app, acme }
}

test('a million rows: every statement of an operator looks at few of them, by index', {
  timeout: 600_000,
}, async () => {
  const { app, acme } = await startWithMillion()
  const { db } = app
  const now = db.clock.now()
  const filters: QueueFilter[] = [{}, { team: acme.team }, { domain: 'rare.dev' }, { destination: 'mx.dead.dev' }]

  for (const filter of filters) {
    const plans = await explain(db, sliceStatement({ filter, after: null, locks: true }, now))
    expect(plans.filter((plan) => plan['Node Type'] === 'Seq Scan')).toEqual([])
    // A slice, and what is taken of it.
    expect(seenIn(plans)).toBeLessThanOrEqual(12_000)
  }
  for (const state of QUEUE_STATES) {
    const plans = await explain(db, countedRows(state, { team: acme.team }, now))
    expect(plans.filter((plan) => plan['Node Type'] === 'Seq Scan')).toEqual([])
    // Each has an index of its own, but for what is parked when it is not asked for by its destination.
    if (state !== 'parked') expect(seenIn(plans)).toBeLessThanOrEqual(MAX_COUNTED + 1)
  }

  const { groups, capped } = await summarizeQueue(db, { by: 'destination' })
  expect(groups.find(({ name }) => name === 'mx.dead.dev')!.waiting).toBe(10_000)
  expect(capped).toContain('parked')
  expect(await countWanted(db, { filter: { email: '00000000-0000-7000-8000-000000000000' } })).toMatchObject({
    recipients: 0,
  })
  const retried = await retryDeferred(db, { filter: { domain: 'rare.dev' }, record: async () => {} })
  expect(retried.recipients).toBe(10)
  const ofDead = await countWanted(db, { filter: { destination: 'mx.dead.dev' } })
  expect(ofDead.recipients).toBe(375_000)
})
