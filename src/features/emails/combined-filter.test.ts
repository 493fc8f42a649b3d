import { beforeEach, expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { searchBuffers } from '../../../test/harness/buffers.ts'
import type { Database } from '../../kernel/db/database.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { FoundItems } from '../../kernel/http/list.ts'
import { findEmails } from './combined-filter.ts'
import type { Filter } from './filter.ts'

const EMAILS = 24_000
const NEWEST = { limit: 20, cursor: null, direction: 'older' } as const

let db: Database
let team: string

/**
 * Every fifteenth email has bounced. Half of them went to one address, with one tag, but of those that bounced only some of the oldest. Some
 * went to an address that is rare.
 */
async function fill(team: string): Promise<string> {
  const isBounced = sql`n % 15 = 0`
  const isFrequent = sql`n % 2 = 1 and (n % 15 <> 0 or n < 600)`
  await db.queryPooled(sql`
    with made as (
      insert into emails (team_id, id, message_id, "from", "to", subject, tags, last_event, created_at)
      select ${team}, ('01980000-' || lpad(to_hex(n >> 12), 4, '0') || '-7' || lpad(to_hex(n & 4095), 3, '0') || '-8000-000000000000')::uuid,
        'm', 'f', '[]', n::text, case when ${isFrequent} then '[{"name":"kind","value":"frequent"}]'::jsonb end,
        'delivered', now()
      from generate_series(1, ${EMAILS}) n
      returning team_id, id, subject::int as n)
    insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
    select team_id, id, 0, case when ${isFrequent} then 'frequent' when n % 5000 < 2 then 'rare' else 'person-' || n end || '@example.com',
      'delivered', now(), now(), now() from made`)
  await db.queryPooled(sql`
    update emails e set last_event = 'bounced' from (select id, subject::int as n from emails where team_id = ${team}) given
    where e.team_id = ${team} and e.id = given.id and ${isBounced}`)
  for (const table of ['emails', 'deliveries', 'emails_by_status']) await db.query(raw(`vacuum analyze ${table}`))
  return team
}

/** The tests of this file share a database. */
let filled: Promise<string> | undefined

beforeEach(async () => {
  const app = await startApp()
  db = app.db
  filled ??= fill((await app.as('acme')).team)
  team = await filled
})

async function find(filter: Filter, window: Parameters<typeof findEmails>[3] = NEWEST) {
  const { buffers, result } = await searchBuffers(db, (counted) => findEmails(counted, team, filter, window))
  if (!(result instanceof FoundItems)) throw new Error('not combined')
  return { buffers, found: result.items.map((item) => Number((JSON.parse(item) as { subject: string }).subject)) }
}

test('two frequent filters of which few emails fit both do not read every email of either', async () => {
  const frequent = 'frequent@example.com'
  const [byTag, byAddress] = [
    await find({ status: 'bounced', tag: 'kind:frequent' }),
    await find({ status: 'bounced', to: frequent }),
  ]

  // The last of the list: all others were looked through.
  expect(byTag.found).toEqual(byAddress.found)
  expect(byTag.found.slice(0, 3)).toEqual([585, 555, 525])
  // 1,600 have bounced, and each of them was asked: 696 and 5,496 buffers.
  expect(byTag.buffers).toBeLessThan(400)
  expect(byAddress.buffers).toBeLessThan(1_500)
})

test('what is rare leads, whatever it is combined with', async () => {
  const { buffers, found } = await find({ status: 'bounced', to: 'rare@example.com' })

  expect(found).toEqual([15_000])
  expect(buffers).toBeLessThan(4_000)
})

test('what is met along the list costs a piece of it', async () => {
  const { buffers, found } = await find({ status: 'delivered', to: 'frequent@example.com' })

  expect(found).toHaveLength(21)
  expect(buffers).toBeLessThan(4_000)
})

test.each([
  { status: 'bounced', tag: 'kind:frequent' },
  { status: 'bounced', to: 'frequent@example.com' },
  { status: 'delivered', to: 'frequent@example.com', tag: 'kind' },
  { status: 'bounced', to: 'rare@example.com' },
  { tag: 'kind:other', to: 'rare@example.com' },
] satisfies Filter[])('pages of $status $to $tag are the list, in both directions', async (filter) => {
  const isFrequent = (n: number) => n % 2 === 1 && (n % 15 !== 0 || n < 600)
  const recipient = (n: number) => `${isFrequent(n) ? 'frequent' : n % 5000 < 2 ? 'rare' : `person-${n}`}@example.com`
  const fits = (n: number) =>
    (filter.status === undefined || (filter.status === 'bounced') === (n % 15 === 0)) &&
    (filter.to === undefined || recipient(n).includes(filter.to)) &&
    (filter.tag === undefined || (filter.tag !== 'kind:other' && isFrequent(n)))
  const all = Array.from({ length: EMAILS }, (_, index) => EMAILS - index).filter(fits)
  const idOf = (n: number) =>
    `01980000-${(n >> 12).toString(16).padStart(4, '0')}-7${(n & 4095).toString(16).padStart(3, '0')}-8000-000000000000`
  const middle = Math.floor(all.length / 2)

  expect((await find(filter)).found).toEqual(all.slice(0, 21))
  if (all.length === 0) return
  const cursor = idOf(all[middle]!)
  const older = await find(filter, { limit: 5, cursor, direction: 'older' })
  const newer = await find(filter, { limit: 5, cursor, direction: 'newer' })
  expect(older.found).toEqual(all.slice(middle + 1, middle + 7))
  expect(newer.found).toEqual(all.slice(Math.max(0, middle - 6), middle).reverse())
})

test('tags of another team are not looked at', async () => {
  const other = '00000000-0000-7000-8000-000000000009'
  const { buffers } = await searchBuffers(db, (counted) =>
    findEmails(counted, other, { tag: 'kind:frequent', status: 'bounced' }, NEWEST),
  )

  expect(buffers).toBeLessThan(50)
})

test('where the list of the status does not know the recipients, the ledger is asked', async () => {
  const filter = { status: 'bounced', to: 'frequent@example.com' } as const
  const known = await find(filter)
  await db.queryPooled(sql`update emails_by_status set recipients = null where team_id = ${team}`)

  expect(known.found).toHaveLength(20)
  expect((await find(filter)).found).toEqual(known.found)
})
