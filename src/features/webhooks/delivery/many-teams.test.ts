import { expect, onTestFinished, test, vi } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { workBuffers } from '../../../../test/harness/buffers.ts'
import { addWebhook, happen, startWithReceiver } from '../../../../test/harness/webhooks.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import { newId } from '../../../platform/ids.ts'
import { fanOut } from './fan-out.ts'

// Fan-outs cost what their events cost, however many teams have events that wait for free slots of their endpoints.

const TEAMS = 12
const EVENTS_OF_EACH = 10
const EVENTS_OF_QUICK = 200

/** Teams with a webhook each, and events that nobody was told of yet. */
async function startMany(teams: number, events: number) {
  const { app, acme, receiver } = await startWithReceiver()
  const clients = [acme, ...(await Promise.all(Array.from({ length: teams - 1 }, (_, n) => app.as(`team${n}`))))]
  const ids: string[] = []
  for (const client of clients) {
    await addWebhook(client, `${receiver.url}/${client.team}`)
    ids.push(...(await happen(app, client, events)))
  }
  return { app, receiver, teams: clients.map(({ team }) => team), ids }
}

/** Of each fan-out that took events, how many teams it looked at to find nothing that may be taken. */
function noteFanOuts(app: App) {
  const inVain: number[] = []
  const queryPooled = app.db.queryPooled.bind(app.db)
  vi.spyOn(app.db, 'queryPooled').mockImplementation(async (statement) => {
    const rows = await queryPooled(statement)
    if (statement.toQuery().text.includes('delete from webhook_fan_outs')) {
      const idle = rows.filter((row) => 'events' in row && row.events === 0)
      if (idle.length < rows.length) inVain.push(idle.length)
    }
    return rows as never
  })
  return inVain
}

const isOpen = async ({ db }: App) => {
  const [row] = await db.query<{ isOpen: boolean }>(sql`
    select exists (select from webhook_fan_outs) or exists (select from webhook_batches)
      or exists (select from webhook_deliveries where due_at is not null) as "isOpen"`)
  return row!.isOpen
}

test('the answers of one endpoint bring looks at its team, and not at all teams whose events wait', async () => {
  // How fast endpoints answer is not what this is about: to them all no time passes.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { app, receiver, teams, ids } = await startMany(TEAMS, EVENTS_OF_EACH)
  const quick = `/${teams[0]}`
  ids.push(...(await happen(app, { team: teams[0]! }, EVENTS_OF_QUICK)))
  const held: (() => void)[] = []
  let isHolding = true
  receiver.answer((response, { path }) => {
    if (isHolding && path !== quick) held.push(() => response.end())
    else response.end()
  })
  const inVain = noteFanOuts(app)

  await app.webhooks.start()
  app.db.signals.announce(OUTBOX_CHANNEL)
  await app.until(() => receiver.at(quick).length === EVENTS_OF_EACH + EVENTS_OF_QUICK && held.length >= TEAMS - 1)
  vi.useRealTimers()
  const ofRefills = inVain.slice(-3)
  isHolding = false
  for (const answer of held) answer()
  await app.until(async () => !(await isOpen(app)))

  expect(ofRefills).toEqual([0, 0, 0])
  expect(receiver.received.map(({ id }) => id).sort()).toEqual(ids.sort())
})

test('a fan-out for some teams takes their events and leaves those of others', async () => {
  const { app, teams } = await startMany(4, 3)
  const [one, other] = teams as [string, string]

  const { events, isWhole } = await fanOut(app.db, app.clock.now(), { teams: [one, other] })

  const left = await app.db.query<{ team: string }>(sql`select distinct team_id as team from webhook_fan_outs`)
  expect([events, isWhole]).toEqual([6, true])
  expect(left.map(({ team }) => team).sort()).toEqual(teams.slice(2).sort())
})

test('teams whose events wait for free slots do not keep those of others out of a batch', async () => {
  const { app, teams } = await startMany(4, 1)
  const busy = teams.slice(0, 3)
  const limits = busy.map((team) => ({ team, events: 0 }))
  const since = new Date(app.clock.now().getTime() - 60_000)

  const { events, cut } = await fanOut(app.db, app.clock.now(), { backpressure: { limits, otherLimit: 5, since } })

  expect([events, [...cut].sort()]).toEqual([1, busy.sort()])
})

test('what a fan-out reads does not grow with the events that its teams have had', async () => {
  const { app, teams } = await startMany(10, 2)
  const readOf = () => workBuffers(app.db, (db) => fanOut(db, app.clock.now()))
  const before = await readOf()
  const past = teams.flatMap((team) => Array.from({ length: 1_000 }, () => ({ team, id: newId(app.clock) })))
  await app.db.queryPooled(sql.write`
    insert into outbox (team_id, id, type, data, created_at)
    select team, id, 'nobody.listens', '{}', ${app.clock.now()} from ${rowsOf(past, { team: 'uuid', id: 'uuid' })}`)
  await app.db.queryPooled(sql`vacuum analyze outbox`)
  for (const team of teams) await happen(app, { team }, 2)

  expect(await readOf()).toBeLessThan(before * 1.5)
})

test('however many teams there are, a fan-out takes five deliveries of each, and of one with many webhooks as many events', async () => {
  const { app, teams } = await startMany(1, 10)
  // An even share would be two events of each.
  const more = await app.db.query<{ id: string }>(sql.write`
    insert into teams (id, name, created_at) select uuidv7(), 'Team ' || gen_random_uuid(), now() from generate_series(1, 149) returning id`)
  const [many] = more
  const all = [teams[0]!, ...more.map(({ id }) => id)]
  await app.db.query(sql.write`
    insert into webhooks (team_id, id, endpoint, events, created_at, updated_at)
    select team.id, uuidv7(), 'https://example.com/hook', '{topic.created}', now() - interval '1 day', now()
    from teams team cross join generate_series(1, case when team.id = ${many!.id} then 5 else 1 end) n
    where team.id = any (${more.map(({ id }) => id)}::uuid[])`)
  for (const { id } of more) await happen(app, { team: id }, 10)

  await fanOut(app.db, app.clock.now())

  const left = await app.db.query<{ team: string; events: number }>(sql`
    select team_id as team, count(*)::int as events from webhook_fan_outs where team_id = any (${all}::uuid[]) group by team_id`)
  const takenOf = new Map(left.map(({ team, events }) => [team, 10 - events]))
  expect(takenOf.get(many!.id)).toBe(2)
  expect(all.filter((team) => team !== many!.id && takenOf.get(team) !== 5)).toEqual([])
})
