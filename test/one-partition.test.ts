import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findEmail } from '../src/features/emails/queries.ts'
import { findReceivedEmail } from '../src/features/inbound/queries.ts'
import { eventRows } from '../src/features/webhooks/events/queries.ts'
import type { Queryable } from '../src/kernel/db/database.ts'
import type { Sql } from '../src/kernel/db/sql.ts'
import { pageStatement } from '../src/kernel/http/list.ts'
import { piecesOf, upTo } from '../src/kernel/http/pieces.ts'
import { systemClock } from '../src/platform/clock.ts'
import { firstIdAt, newId } from '../src/platform/ids.ts'
import { freshDatabase } from './harness/database.ts'

const TEAM = newId(systemClock)

/** The statement that is asked, which nobody answers. */
async function asked(ask: (db: Queryable) => Promise<unknown>): Promise<Sql> {
  const statements: Sql[] = []
  const query = async (statement: Sql) => {
    statements.push(statement)
    return []
  }
  await ask({ clock: systemClock, query })
  return statements[0]!
}

/** Of a month ago, when there was no partition for each day yet. */
async function askForPage(db: Queryable) {
  const rows = eventRows(db, TEAM, newId(systemClock))
  const now = systemClock.now()
  const cursor = firstIdAt(new Date(now.getTime() - 30 * 86_400_000))
  const [piece] = piecesOf(rows, { cursor, isNewer: false, team: TEAM, now })
  const narrowed = rows.narrowed!(upTo(cursor, { ...piece!, isNewer: false }))
  const window = { limit: 20, cursor, direction: 'older', piece: piece! } as const
  return db.query(pageStatement(narrowed, window, 20))
}

const ONE_PERIOD = [
  { what: 'an email', ask: (db: Queryable) => findEmail(db, TEAM, newId(systemClock)) },
  { what: 'a received email', ask: (db: Queryable) => findReceivedEmail(db, TEAM, newId(systemClock)) },
  { what: "a page of a webhook's events", ask: askForPage },
]

test.each(ONE_PERIOD)('$what opens one partition of each table', async ({ ask }) => {
  const client = new pg.Client(await freshDatabase())
  onTestFinished(() => client.end())
  await client.connect()
  const statement = await asked(ask)
  const { text, values } = statement.toQuery()
  await client.query(`prepare one as ${text}`)

  const literals = values.map((value) => client.escapeLiteral(String(value)))
  const { rows } = await client.query(`explain (analyze, format json) execute one (${literals.join(', ')})`)

  const opened = [...JSON.stringify(rows).matchAll(/"Relation Name":"(\w+?)_(?:p\d+|before|later|sandboxes)"/g)]
  const partitions = new Set(opened.map(([name]) => name))
  const tables = new Set(opened.map(([, table]) => table))
  expect(tables.size).toBeGreaterThan(1)
  expect([...partitions]).toHaveLength(tables.size)
})
