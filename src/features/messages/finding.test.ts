import { expect, test, vi } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { sql } from '../../kernel/db/sql.ts'
import { findFitting } from './finding.ts'
import type { MessageFilter } from './match.ts'

const EMAILS = 6_000
/** Of 101, 401 and 1,000 messages, the first of them looked for in the last week before. */
const PIECES_OF_WALK = 4

/** One each second, the first one to somebody whose mail is long ago. */
const fill = ({ db }: App, team: string) =>
  db.queryPooled(sql`
    insert into emails (team_id, id, message_id, "from", "to", bcc, subject, last_event, created_at)
    select ${team}, (lpad(to_hex(1700000000000 + n::bigint * 1000), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid, 'm',
      case when n = 2 then 'Rare <rare@acme.test>' else 'shop@acme.test' end, jsonb_build_array('person' || n || '@example.com'),
      case when n = 1 then '["Hidden@example.com"]'::jsonb end, 'Order ' || n, 'delivered', now()
    from generate_series(1, ${EMAILS}::int) n`)

test('a rare address is asked of the index once it was not met along the list', async () => {
  const app = await startApp()
  const { team } = await app.as('acme')
  await fill(app, team)
  const query = vi.spyOn(app.db, 'query')
  const find = async (filter: MessageFilter) => {
    query.mockClear()
    const heads = await findFitting(app.db, team, { filter, cursor: null, isOlder: true, amount: 21 })
    const pieces = query.mock.calls.filter(([statement]) => statement.toQuery().text.includes('with piece as'))
    expect(pieces.length).toBeLessThanOrEqual(PIECES_OF_WALK)
    return heads.map(({ subject }) => subject)
  }

  expect(await find({ to: 'Person7 <PERSON7@example.com>' })).toEqual(['Order 7'])
  // Others begin with it.
  expect(await find({ to: 'person60@example.com' })).toEqual(['Order 60'])
  expect(await find({ to: 'hidden@example.com' })).toEqual(['Order 1'])
  expect(await find({ from: 'rare@acme.test', to: 'person2@example.com' })).toEqual(['Order 2'])
  expect(await find({ from: 'rare@acme.test', to: 'person3@example.com' })).toEqual([])
  expect(await find({ to: 'nobody@example.com' })).toEqual([])
  expect(await find({ to: 'person7@example.com', subject: 'order 8' })).toEqual([])
  expect(await find({ to: 'person7@example.com', direction: 'received' })).toEqual([])
})
