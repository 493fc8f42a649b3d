import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { makeGate } from '../../../test/harness/gate.ts'
import { newId } from '../../../test/harness/ids.ts'
import { happen } from '../../../test/harness/webhooks.ts'
import type { Queryable } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { deleteEventsBefore } from './queries.ts'
import { Subscription } from './subscription.ts'

// Another subscriber than the ones that there are: what one more costs, and what it may rely on.

const followed = new Subscription('followed_events')
let app: App
let acme: Client

beforeEach(async () => {
  app = await startApp()
  acme = await app.as('acme')
  const { db } = app
  onTestFinished(async () => {
    await db.query(sql`drop function note_followed_events cascade`)
    await db.query(sql`drop table followed_events, followed`)
  })
  await subscribe("event.type = 'topic.created'")
  await db.query(sql`create table followed (event_id uuid not null)`)
})

const subscribe = (wanted: string) => app.db.query(sql`select subscribe_to_outbox('followed_events', ${wanted})`)

const follow = () =>
  followed.takePending(app.db, {
    events: 10,
    work: sql`insert into followed (event_id) select event_id from taken`,
  })

const count = async (table: 'followed' | 'followed_events', db: Queryable = app.db) => {
  const [row] = await db.query<{ count: number }>(
    table === 'followed'
      ? sql`select count(*)::int as count from followed`
      : sql`select count(*)::int as count from followed_events`,
  )
  return row!.count
}

test('it hears of each event that it wants once, and of no other', async () => {
  await happen(app, acme, 3)
  await happen(app, acme, 3, 'topic.deleted')

  const noted = await count('followed_events')
  const [first, second] = [await follow(), await follow()]

  expect([noted, first.events, second.events, first.hasMore]).toEqual([3, 3, 0, false])
  expect([await count('followed'), await count('followed_events')]).toEqual([3, 0])
})

test('what it wants can be said again, and what was noted before stays', async () => {
  await happen(app, acme, 1)
  await subscribe("event.type = 'topic.deleted'")
  await happen(app, acme, 2, 'topic.deleted')
  await happen(app, acme, 4)

  expect(await follow()).toMatchObject({ events: 3, hasMore: false })
})

test('it does not miss what commits late, and what fails is as if it had not been taken', async () => {
  const [written, gate] = [makeGate(), makeGate()]
  const late = app.db.transaction(async (trx) => {
    await trx.query(
      sql`insert into outbox (team_id, id, type, data, created_at)
        values (${acme.team}, ${newId()}, 'topic.created', '{}', now())`,
    )
    written.open()
    await gate.opened
  })
  await written.opened
  await happen(app, acme, 2)

  const failing = sql`insert into followed (event_id) select null from taken`
  await expect(followed.takePending(app.db, { events: 10, work: failing })).rejects.toThrow(/null value/)
  expect(await follow()).toMatchObject({ events: 2, hasMore: false })
  gate.open()
  await late

  expect(await follow()).toMatchObject({ events: 1, hasMore: false })
})

test('teams take turns, and the one whose events cost more gets fewer at a time', async () => {
  const globex = await app.as('globex')
  await happen(app, acme, 30)
  await happen(app, globex, 30)
  const cost = sql`case when waiting.team_id = ${globex.team} then 5 else 1 end`

  const work = sql`insert into followed (event_id) select event_id from taken`
  expect(await followed.takePending(app.db, { events: 10, cost, work })).toMatchObject({ events: 6, hasMore: true })

  const teams: string[] = []
  for await (const team of followed.teams(app.db)) teams.push(team)
  expect(teams.sort()).toEqual([acme.team, globex.team].sort())
  expect(await followed.oldest(app.db, acme.team, 100)).toHaveLength(25)
  expect(await followed.oldest(app.db, globex.team, 100)).toHaveLength(29)
})

test('an event stays in the outbox until it was dealt with', async () => {
  await happen(app, acme, 2)
  const sweep = () => deleteEventsBefore(app.db, { moment: new Date('2100-01-01'), limit: 100_000 })

  await sweep()
  const before = await acme.events()
  await follow()
  await sweep()

  expect([before.length, (await acme.events()).length]).toEqual([2, 0])
})

test('what is old goes team by team, a few at a time, and nothing else does', async () => {
  const globex = await app.as('globex')
  await happen(app, acme, 3, 'topic.deleted')
  await happen(app, globex, 2, 'topic.deleted')
  const left = async () => [(await acme.events()).length, (await globex.events()).length]
  const clear = (moment: Date) =>
    app.db.transaction(async (trx) => {
      const steps: number[] = []
      for (let since: string | false = '00000000-0000-0000-0000-000000000000'; since !== false; steps.push(1))
        since = await deleteEventsBefore(trx, { moment, limit: 2, since })
      return steps.length
    })

  const early = await clear(new Date(app.clock.now().getTime() - 3_600_000))
  const before = await left()
  const late = await clear(new Date(app.clock.now().getTime() + 3_600_000))

  expect([early, before]).toEqual([1, [3, 2]])
  expect(late).toBeGreaterThan(2)
  expect(await left()).toEqual([0, 0])
})
