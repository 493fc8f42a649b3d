import Type from 'typebox'
import { expect, test } from 'vitest'
import { endpoint, job } from '../src/features/definitions.ts'
import { feature } from '../src/features/feature.ts'
import type { DueMoments, Span } from '../src/kernel/db/due-moments.ts'
import { LoopShell } from '../src/kernel/db/loop-shell.ts'
import { SANDBOXES_CHANNEL } from '../src/kernel/db/sandbox-clocks.ts'
import { sql } from '../src/kernel/db/sql.ts'
import { hours } from '../src/kernel/jobs/job.ts'
import { enqueue } from '../src/kernel/jobs/queries.ts'
import { ofTeam, retention } from '../src/kernel/jobs/retention.ts'
import { newId } from '../src/platform/ids.ts'
import { startApp } from './harness/app.ts'

// A feature is one value in the list of features: nothing else of the program is changed for this one.

const TABLE = sql`
  create table reminders (team_id uuid not null, id uuid primary key, created_at timestamptz not null, due_at timestamptz,
    confirmed_at timestamptz, reminded_at timestamptz)`

const confirmReminder = job<{ team: string; id: string }>({
  name: 'reminders.confirm',
  retryAfterSeconds: [],
  async run({ team, id }, { db, clock }) {
    await db.query(
      sql.write`update reminders set confirmed_at = ${clock.of(team).now()} where team_id = ${team} and id = ${id}`,
    )
  },
})

const createReminder = endpoint({
  id: 'reminders.create',
  route: 'POST /reminders',
  summary: 'Create a reminder',
  status: 201,
  body: Type.Object({ days: Type.Integer() }),
  reply: Type.Object({ id: Type.String() }),
  async run({ body, services: { db, clock }, actor: { team } }) {
    const own = clock.of(team)
    const [id, now] = [newId(own), own.now()]
    const dueAt = own.toReal(new Date(now.getTime() + body.days * hours(24) * 1_000))
    await db.transaction(async (trx) => {
      await trx.query(
        sql.write`insert into reminders (team_id, id, created_at, due_at) values (${team}, ${id}, ${now}, ${dueAt})`,
      )
      await enqueue(trx, confirmReminder, { team, id })
    })
    return { id }
  },
})

const sweepReminders = retention({
  name: 'reminders.sweep',
  keepSeconds: () => 7 * hours(24),
  async deleteBefore(db, { moment, team }) {
    await db.query(sql.write`delete from reminders where created_at < ${moment} ${ofTeam(team)}`)
    return false
  },
})

const within = ({ from, to }: Span) => sql`r.due_at between ${from} and ${to}`

const dueReminders: DueMoments = {
  channel: 'reminders',
  first: (team, from) => sql`(select min(r.due_at) from reminders r where r.team_id = ${team} and r.due_at >= ${from})`,
  last: (team, span) => sql`(select max(r.due_at) from reminders r where r.team_id = ${team} and ${within(span)})`,
  move: (team, span, { by, when }) => [
    sql.write`update reminders r set due_at = r.due_at + ${by} where r.team_id = ${team} and ${within(span)} and ${when}`,
  ],
}

const reminders = feature({
  endpoints: [createReminder],
  jobs: [confirmReminder],
  retention: [sweepReminders],
  dueMoments: [dueReminders],
  queues: [
    {
      name: 'postwren_reminders',
      help: 'Reminders',
      labelNames: [],
      read: async () => [{ labels: {}, counts: { waiting: 1 }, oldestDueSeconds: 0 }],
    },
  ],
  workers: [
    {
      name: 'reminders',
      role: 'jobs',
      isHoldable: false,
      create({ db, log }) {
        const shell = new LoopShell({ db, log }, 'reminders')
        const remind = async () => {
          const due = await db.query<{ team: string; id: string }>(
            sql`select team_id as team, id from reminders where due_at <= ${db.clock.now()}`,
          )
          for (const { team, id } of due) {
            await db.forTeams([team])
            await db.query(sql.write`
              update reminders set reminded_at = ${db.clock.of(team).now()}, due_at = null where team_id = ${team} and id = ${id}`)
            db.signals.announce(SANDBOXES_CHANNEL)
          }
          return due.length > 0
        }
        shell.addLoopOn(['reminders'], remind)
        return { start: () => shell.start(), stop: () => shell.stop(), runDue: () => shell.runDue(remind) }
      },
    },
  ],
})

const DAY_MS = 86_400_000

async function start() {
  const app = await startApp({}, { features: [reminders] })
  await app.db.query(sql`drop table if exists reminders`)
  await app.db.query(TABLE)
  const acme = await app.as('acme')
  const stored = () =>
    app.db.query<{ confirmedAt: Date | null; remindedAt: Date | null }>(
      sql`select confirmed_at as "confirmedAt", reminded_at as "remindedAt" from reminders`,
    )
  return { app, acme, stored }
}

test('a feature in the list has its endpoint, its entry in OpenAPI, its tool, its job and its queue', async () => {
  const { app, acme, stored } = await start()

  expect((await acme.post('/reminders', { days: 1 })).status).toBe(201)
  expect((await acme.post('/reminders', { days: 'x' })).status).toBe(422)
  expect((await app.send({ method: 'POST', url: '/reminders' })).status).toBe(401)
  await app.runDueJobs()

  expect(await stored()).toMatchObject([{ confirmedAt: app.clock.now(), remindedAt: null }])
  expect((await app.send({ url: '/openapi.json' })).body.paths['/reminders'].post).toMatchObject({
    operationId: 'reminders.create',
  })
  const tools = await acme.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { accept: 'application/json, text/event-stream' },
  )
  expect(tools.text).toContain('Create a reminder')
  const metrics = await app.metrics.render()
  expect(metrics).toContain('postwren_reminders')
  expect(metrics).toContain('reminders.confirm')
})

test('the clock of a sandbox moves what is due for it, and what is past its time is deleted', async () => {
  const { app, acme, stored } = await start()
  await app.startWorkers()
  const box = await app.sandboxOf(acme)
  const { body: frozen } = await box.patch('/clock', { is_frozen: true })
  const frozenAt = Date.parse(frozen.now)
  await box.post('/reminders', { days: 2 })

  const moved = await box.patch('/clock', { advance: '3 days' })
  expect(moved.body).toMatchObject({ is_complete: true, now: new Date(frozenAt + 3 * DAY_MS).toISOString() })
  expect(await stored()).toEqual([{ confirmedAt: new Date(frozenAt), remindedAt: new Date(frozenAt + 2 * DAY_MS) }])

  await box.patch('/clock', { advance: '5 days' })
  expect(await stored()).toEqual([])
})
