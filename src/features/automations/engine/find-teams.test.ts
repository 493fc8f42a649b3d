import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import {
  automate,
  delay,
  happens,
  send,
  startWithTemplate,
  storiesOf,
  trigger,
} from '../../../../test/harness/automated.ts'
import { readBuffers } from '../../../../test/harness/buffers.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { firstIdAt } from '../../../platform/ids.ts'
import { teamsQuery } from './triggers.ts'

const TEAMS = 10_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

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

/** Teams with a run each that is due then, behind all ids of the harness: those that are due now are the last ones. */
async function addTeams({ db, clock }: App, { due }: { due: number }) {
  const [now, tomorrow] = [clock.now(), new Date(clock.now().getTime() + 86_400_000)]
  await db.query(sql`
    with made as (
      insert into teams (id, name, created_at)
      select gen_random_uuid(), 'Waiting ' || gen_random_uuid(), ${now} from generate_series(1, ${TEAMS}::int) n returning id),
    numbered as (select id, row_number() over (order by id desc) as n from made)
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, event,
      wait_events, trail, created_at)
    select id, ${firstIdAt(now)}, id, id, id, 'running', 'pause', ${now},
      case when n <= ${due}::int then ${now}::timestamptz else ${tomorrow}::timestamptz end, '{}', '{}', '[]', ${now}
    from numbered`)
  onTestFinished(async () => {
    await db.query(sql`delete from automation_runs where step_key = 'pause' and automation_id = team_id`)
    await db.query(sql`delete from automation_next_due`)
  })
  await db.query(sql`analyze automation_runs, automation_next_due`)
}

test('a look for teams that have something to do reads none of those that wait', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  await addTeams(app, { due: 1 })
  const look = teamsQuery({ after: BEFORE_ALL, except: [acme.team], now: app.clock.now(), limit: 50 })

  expect(await app.db.query(look)).toHaveLength(1)
  expect(await readBuffers(app.db, look)).toBeLessThan(30)
})

test('when many are due at once each look finds the next ones in their order, and does not read all of them', async () => {
  const app = await startApp()
  await addTeams(app, { due: TEAMS })
  const all = await app.db.query<{ team: string }>(
    sql`select team_id as team from automation_next_due order by team_id`,
  )
  const look = (after: string) => teamsQuery({ after, except: [], now: app.clock.now(), limit: 50 })

  expect(await app.db.query(look(BEFORE_ALL))).toEqual(all.slice(0, 50))
  expect(await app.db.query(look(all[4_999]!.team))).toEqual(all.slice(5_000, 5_050))
  expect(await app.db.query(look(all.at(-3)!.team))).toEqual(all.slice(-2))
  // A thousand and one that are due, by their times, and the fifty.
  expect(await readBuffers(app.db, look(all[4_999]!.team))).toBeLessThan(1_500)
})
