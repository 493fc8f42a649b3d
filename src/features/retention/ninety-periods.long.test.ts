import { expect, test } from 'vitest'
import type { App } from '../../../test/harness/app.ts'
import { startAcme } from '../../../test/harness/emails.ts'
import { addWebhook } from '../../../test/harness/webhooks.ts'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import type { JsonRows } from '../../kernel/db/json-rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { idRangesOf } from '../../kernel/http/id-ranges.ts'
import { pageStatement } from '../../kernel/http/list.ts'
import { findRow, type Rows } from '../../kernel/http/rows.ts'
import { findPartitions } from '../../kernel/partitions/catalog.ts'
import { makePartitions } from '../../kernel/partitions/make.ts'
import { PARTITIONED_TABLES } from '../../kernel/partitions/tables.ts'
import { newId } from '../../platform/ids.ts'
import { claimDue as claimMail } from '../emails/delivery/ledger/queries.ts'
import { emailRows } from '../emails/queries.ts'
import { logRows } from '../logs/queries.ts'
import { claimDue } from '../webhooks/delivery/queries.ts'
import { attemptRows } from '../webhooks/events/queries.ts'

// What statements read of tables with ninety periods: the periods that their rows are in, and no more.

const DAY = 86_400
const DAYS = 90
const EVERY = 6
const PER_DAY = 30

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly Plan[]
}

class RolledBack extends Error {}

const relationsIn = (plan: Plan): string[] => [
  ...(plan['Relation Name'] && plan['Actual Loops']! > 0 ? [plan['Relation Name']] : []),
  ...(plan.Plans ?? []).flatMap(relationsIn),
]

/** The partitions that a statement opens and reads. It is run and rolled back. */
async function partitionsRead(db: Database, statement: Sql): Promise<string[]> {
  let relations: string[] = []
  const explain = db.transaction(async (trx) => {
    const [row] = await trx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      sql`explain (analyze, costs off, timing off, format json) ${statement}`,
    )
    relations = relationsIn(row!['QUERY PLAN'][0]!.Plan)
    throw new RolledBack()
  })
  await explain.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error
  })
  return [...new Set(relations)].filter((name) => /_(p\d{8}|before|later|sandboxes|gone)$/.test(name))
}

/** Of a page of 20 that a list reads piece by piece, until it is full. */
async function readOfPage(app: App, { team, rows, cursor }: { team: string; rows: Rows; cursor: string | null }) {
  let read = 0
  for (const piece of idRangesOf(rows, { cursor, isNewer: false, team, now: app.clock.now() })) {
    const statement = pageStatement(rows, { limit: 20, cursor, direction: 'older', piece }, 20)
    read += (await partitionsRead(app.db, statement)).length
    const [page] = await app.db.query<JsonRows>(statement)
    if (page!.count > 20) break
  }
  return read
}

/** The statement that a read sends. */
async function statementOf({ clock }: App, read: (db: Queryable) => Promise<unknown>): Promise<Sql> {
  const sent: Sql[] = []
  const note = async (statement: Sql) => {
    sent.push(statement)
    return []
  }
  await read({ clock, query: note, queryPooled: note } as unknown as Queryable)
  return sent[0]!
}

async function start() {
  const { app, acme } = await startAcme()
  const { id: webhook } = await addWebhook(acme, 'https://example.com/hook')
  const { team } = acme
  const all: string[] = []
  await makePartitions(app.db)
  for (let day = 0; day < DAYS; day += EVERY) {
    const ids = Array.from({ length: PER_DAY }, () => newId(app.clock))
    all.push(...ids)
    const from = sql`from unnest(${ids}::uuid[]) id`
    for (const statement of [
      sql.write`insert into request_logs (team_id, id, method, endpoint, response_status, created_at)
        select ${team}, id, 'GET', '/emails', 200, ${app.clock.now()} ${from}`,
      sql.write`insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
        select ${team}, id, '<' || id || '@acme.dev>', 'a@acme.dev', '["ada@example.com"]', 'Hello', 'delivered', ${app.clock.now()} ${from}`,
      sql.write`insert into outbox (team_id, id, type, data, created_at)
        select ${team}, id, 'topic.created', '{}', ${app.clock.now()} ${from}`,
      sql.write`insert into webhook_deliveries (team_id, webhook_id, event_id, state) select ${team}, ${webhook}, id, 'failed' ${from}`,
      sql.write`insert into webhook_attempts (team_id, webhook_id, id, event_id, sent_at, duration_ms, error)
        select ${team}, ${webhook}, gen_random_uuid(), id, ${app.clock.now()}, 1, 'no' ${from}`,
    ])
      await app.db.query(statement)
    app.clock.advance(EVERY * DAY)
    await makePartitions(app.db)
  }
  for (const name of ['outbox', 'webhook_deliveries', 'webhook_attempts', 'request_logs']) {
    const table = PARTITIONED_TABLES.find((one) => one.name === name)!
    expect((await findPartitions(app.db, table)).length).toBeGreaterThan(DAYS)
  }
  return { app, acme, webhook, newestFirst: all.toReversed() }
}

test('statements over ninety periods read those that their rows are in', async () => {
  const { app, acme, webhook, newestFirst } = await start()
  const { team } = acme
  const read = async (statement: Sql) => (await partitionsRead(app.db, statement)).length
  const newest = newestFirst[0]!
  const old = newestFirst.at(-PER_DAY)!

  const lists = []
  for (const rows of [logRows(team), emailRows(team)])
    for (const cursor of [null, newestFirst[19]!, old]) lists.push(await readOfPage(app, { team, rows, cursor }))
  const gets = []
  for (const rows of [logRows(team), emailRows(team)])
    for (const id of [newest, old]) gets.push(await read(await statementOf(app, (db) => findRow(db, rows, id))))
  const attempts = await read(
    pageStatement(attemptRows(team, webhook, old), { limit: 20, cursor: null, direction: 'older' }, 20),
  )
  const claim = await statementOf(app, (db) =>
    claimDue(db as Database, {
      ...{ node: 1, now: app.clock.now(), webhooks: [{ webhookId: webhook, since: null }], slots: [], otherSlots: 5 },
      ...{ except: [], isOfLateEvents: true },
    }),
  )
  const claims = await read(claim)
  const mail = await partitionsRead(
    app.db,
    await statementOf(app, (db) =>
      claimMail(db, { node: 1, now: app.clock.now(), of: [{ priority: 0, limit: 10, since: null }] }),
    ),
  )

  // The newest rows are six days old: the periods next to the cursor have none, and those before are read until there are enough.
  for (const count of lists) expect(count).toBeLessThanOrEqual(20)
  expect(gets).toEqual([1, 1, 1, 1])
  // Of the attempts, and of the deliveries, which have those that went well.
  expect(attempts).toBeLessThanOrEqual(2)
  // Retries are of the last days.
  expect(claims).toBeLessThanOrEqual(6)
  // What waits to be sent is apart from history.
  expect(mail.filter((name) => name.startsWith('settled_'))).toEqual([])
})
