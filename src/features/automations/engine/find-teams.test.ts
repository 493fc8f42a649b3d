import { expect, onTestFinished, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import {
  automate,
  delay,
  happens,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
} from '../../../../test/harness/automated.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { teamsQuery } from './happenings.ts'

const TEAMS = 10_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

test('a team has something to do when its next run is due, also after that changed', async () => {
  const { app, acme, template } = await startWithTemplate()
  const automation = await automate(acme, [trigger(), delay('1 hour'), send(template), delay('1 day', 'second')])
  const dueTeams = () => app.db.query(teamsQuery({ after: BEFORE_ALL, except: [], now: app.clock.now(), limit: 10 }))
  const noted = () =>
    app.db.query<{ dueAt: Date }>(sql`select due_at as "dueAt" from automation_next_due where team_id = ${acme.team}`)
  await happens(acme, 'user.created', 'ada@example.com')
  const came = app.clock.now()
  app.clock.advance(60)
  await happens(acme, 'user.created', 'bob@example.com')
  await app.runAutomations()
  expect(await dueTeams()).toEqual([])

  // One that is cancelled is looked for once, and then the row says when the next one is due.
  const [ada] = await storiesOf(acme, automation)
  await acme.post(`/automations/${automation}/runs/${ada!.id}/cancel`)
  app.clock.advance(3_540)
  expect(await dueTeams()).toEqual([{ team: acme.team }])
  await app.runAutomations()
  expect(await dueTeams()).toEqual([])
  expect((await noted())[0]!.dueAt.getTime() - came.getTime()).toBe(3_660_000)

  app.clock.advance(60)
  await app.runAutomations()
  expect((await noted())[0]!.dueAt.getTime() - came.getTime()).toBe(3_660_000 + 86_400_000)
  app.clock.advance(86_400)
  await app.runAutomations()
  expect(await noted()).toEqual([])
})

test('a look for teams that have something to do reads none of those that wait', async () => {
  const app = await startApp()
  const { db, clock } = app
  const acme = await app.as('acme')
  const [now, tomorrow] = [clock.now(), new Date(clock.now().getTime() + 86_400_000)]
  // Behind all ids of the harness: the last team has a run that is due.
  const teams = sql`(
    select gen_random_uuid() as id, n from generate_series(1, ${TEAMS}::int) n) t`
  await db.query(sql`
    with made as (
      insert into teams (id, name, created_at) select id, 'Waiting ' || n, ${now} from ${teams} returning id),
    numbered as (select id, row_number() over (order by id) as n from made)
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, event,
      wait_events, trail, created_at)
    select id, ${firstIdAt(now)}, id, id, id, 'running', 'pause', ${now},
      case when n = ${TEAMS}::int then ${now}::timestamptz else ${tomorrow}::timestamptz end, '{}', '{}', '[]', ${now}
    from numbered`)
  onTestFinished(async () => {
    await db.query(sql`delete from automation_runs where step_key = 'pause' and automation_id = team_id`)
    await db.query(sql`delete from automation_next_due`)
  })
  await db.query(sql`analyze automation_runs, automation_next_due`)
  const look = teamsQuery({ after: BEFORE_ALL, except: [acme.team], now, limit: 3 })

  expect(await db.query(look)).toHaveLength(1)
  const [row] = await db.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    sql`explain (analyze, buffers, timing off, format json) ${look}`,
  )
  const [{ Plan: plan }] = row!['QUERY PLAN']
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(30)
})
