import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { askedOfEmails } from '../src/features/emails/combined-filter.ts'
import { findEmail } from '../src/features/emails/queries.ts'
import { emailSearch } from '../src/features/emails/search.ts'
import { findReceivedEmail } from '../src/features/inbound/queries.ts'
import { eventRows } from '../src/features/webhooks/events/queries.ts'
import type { Queryable } from '../src/kernel/db/database.ts'
import type { Sql } from '../src/kernel/db/sql.ts'
import { splitBehind } from '../src/kernel/http/id-ranges.ts'
import { pageStatement } from '../src/kernel/http/list.ts'
import { FIRST_ID, LAST_ID } from '../src/kernel/search/ranges.ts'
import { scan } from '../src/kernel/search/statements.ts'
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
const monthAgo = () => firstIdAt(new Date(systemClock.now().getTime() - 30 * 86_400_000))

/** The page that follows the ids of it. */
async function askForPage(db: Queryable, id: string) {
  const rows = eventRows(db, TEAM, newId(systemClock))
  const { part } = splitBehind([id], { from: null, to: null, isNewer: false })
  const window = { limit: 20, cursor: null, direction: 'older', piece: part } as const
  return db.query(pageStatement(rows.narrowed!(part), window, 20))
}

const ONE_PERIOD = [
  { what: 'an email', ask: (db: Queryable) => findEmail(db, TEAM, newId(systemClock)) },
  { what: 'a received email', ask: (db: Queryable) => findReceivedEmail(db, TEAM, newId(systemClock)) },
  { what: "the first page of a webhook's events", ask: (db: Queryable) => askForPage(db, newId(systemClock)) },
  { what: "a page of a webhook's events of a month ago", ask: (db: Queryable) => askForPage(db, monthAgo()) },
]

/** The partitions that a statement looks into, and the tables that they are of. */
async function openedBy(statement: Sql) {
  const client = new pg.Client(await freshDatabase())
  onTestFinished(() => client.end())
  await client.connect()
  const { text, values } = statement.toQuery()
  await client.query(`prepare one as ${text}`)

  const literals = values.map((value) =>
    Array.isArray(value) ? `'{${value.join(',')}}'` : client.escapeLiteral(String(value)),
  )
  const { rows } = await client.query(`explain (analyze, format json) execute one (${literals.join(', ')})`)

  const opened = [...JSON.stringify(rows).matchAll(/"Relation Name":"(\w+?)_(?:p\d+|before|later|sandboxes)"/g)]
  return { partitions: new Set(opened.map(([name]) => name)), tables: new Set(opened.map(([, table]) => table)) }
}

test.each(ONE_PERIOD)('$what opens one partition of each table', async ({ ask }) => {
  const { partitions, tables } = await openedBy(await asked(ask))

  expect(tables.size).toBeGreaterThan(1)
  expect([...partitions]).toHaveLength(tables.size)
})

test('what a search has found is looked up in the partition that it is in', async () => {
  const id = newId(systemClock)
  const statements: Sql[] = []
  const query = async (statement: Sql) => {
    statements.push(statement)
    return [{ count: 1, last: id, ids: [id] }]
  }
  const trx = { clock: systemClock, query } as unknown as Queryable
  const range = { from: FIRST_ID, to: LAST_ID }
  const search = { source: emailSearch.source, team: TEAM, conditions: [], range, besides: askedOfEmails(TEAM, []) }
  await scan(trx, search, { range, isOlder: true, amount: 20, size: 250 })

  const { partitions } = await openedBy(statements[1]!)

  expect([...partitions]).toHaveLength(1)
})
