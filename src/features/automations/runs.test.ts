import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { AUTOMATION, addRun } from '../../../test/harness/automations.ts'
import { sql } from '../../kernel/db/sql.ts'
import { pageStatement } from '../../kernel/http/list.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { sweepAutomationRuns } from './engine/jobs.ts'
import { overviewRows, runRows } from './run-queries.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/

async function start(settings: Record<string, string> = {}) {
  const app = await startApp(settings)
  const acme = await app.as('acme')
  const { body } = await acme.post('/automations', AUTOMATION)
  const run = (state: Parameters<typeof addRun>[3] = {}) => addRun(app.db, acme.team, body.id, state)
  return { app, acme, id: body.id as string, path: `/automations/${body.id}`, run }
}

const TRIGGERED = {
  key: 'start',
  type: 'trigger',
  status: 'completed',
  output: { event_name: 'user.created', payload: { plan: 'pro' } },
  error: null,
  created_at: '2026-11-15T01:20:30.120Z',
  started_at: '2026-11-15T01:20:30.000Z',
  completed_at: '2026-11-15T01:20:30.123Z',
}

test('a run shows every step, also where it stands and what it has not reached', async () => {
  const { acme, path, run } = await start()
  const id = await run({ trail: [TRIGGERED] })

  const { body } = await acme.get(`${path}/runs/${id}`)

  const timed = expect.stringMatching(TIMESTAMP)
  expect(body).toEqual({
    object: 'automation_run',
    id,
    status: 'running',
    started_at: timed,
    completed_at: null,
    created_at: timed,
    steps: [
      {
        ...TRIGGERED,
        created_at: '2026-11-15 01:20:30.12+00',
        started_at: '2026-11-15 01:20:30.0+00',
        completed_at: '2026-11-15 01:20:30.123+00',
      },
      {
        key: 'pause',
        type: 'delay',
        status: 'waiting',
        output: null,
        error: null,
        started_at: timed,
        completed_at: null,
        created_at: timed,
      },
    ],
  })
  const before = await run({ step: 'start' })
  const statuses = (await acme.get(`${path}/runs/${before}`)).body.steps.map((one: { status: string }) => one.status)
  expect(statuses).toEqual(['running', 'pending'])
})

test('runs are listed by status, one or several', async () => {
  const { acme, path, run } = await start()
  const failed = await run({ status: 'failed' })
  await run({ status: 'completed' })
  const running = await run()
  const idsOf = async (query: string) =>
    (await acme.get(`${path}/runs${query}`)).body.data.map(({ id }: { id: string }) => id)

  expect(await idsOf('')).toHaveLength(3)
  expect(await idsOf('?status=failed')).toEqual([failed])
  expect(await idsOf('?status=failed,running')).toEqual([running, failed])
  expect(await idsOf('?status=running,%20failed&limit=1')).toEqual([running])
  expect(await idsOf(`?status=failed,running&after=${running}`)).toEqual([failed])
  for (const wrong of ['odd', 'failed,odd', ''])
    expect((await acme.get(`${path}/runs?status=${wrong}`)).body).toMatchObject({
      statusCode: 422,
      message: 'The `status` must be some of running, completed, failed, cancelled.',
    })
})

test('a rare status is found without reading the others', async () => {
  const { app, acme, id, run } = await start()
  const failed = await run({ status: 'failed' })
  await app.db.query(sql`
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, event, wait_events, trail, created_at)
    select team_id, gen_random_uuid(), id, graph_id, id, 'completed', '{}', '{}', '[]', now()
    from automations, generate_series(1, 5000) where id = ${id}`)
  await app.db.query(sql`analyze automation_runs`)
  const readOf = async (rows: Rows) => {
    const page = pageStatement(rows, { limit: 20, cursor: id, direction: 'newer' }, 20)
    const lines = await app.db.search<{ 'QUERY PLAN': string }>(sql`explain (analyze, timing off) ${page}`)
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
    expect(plan).not.toMatch(/Seq Scan on automation_runs/)
    return [...plan.matchAll(/Rows Removed by Filter: (\d+)/g)].reduce((sum, [, rows]) => sum + Number(rows), 0)
  }

  expect(failed > id).toBe(true)
  for (const statuses of [['failed'], ['failed', 'cancelled']] as const) {
    expect(await readOf(runRows(acme.team, id, statuses))).toBeLessThan(100)
    expect(await readOf(overviewRows(app.db, acme.team, { statuses }))).toBeLessThan(100)
  }
})

test('a test run stands before the trigger, and is for one person', async () => {
  const { app, acme, id, path } = await start()
  const { body: contact } = await acme.post('/contacts', { email: 'ada@example.com' })
  const announced = new Promise<void>((resolve) => app.db.signals.watch('automations', resolve))

  const reply = await acme.post(`${path}/test`, {
    to: 'me@example.com',
    payload: { plan: 'pro' },
    contact_id: contact.id,
    waits: 'timeout',
  })

  await announced
  expect([reply.status, reply.body]).toEqual([202, { object: 'automation_run', id: expect.any(String) }])
  expect((await acme.get(`/automation-runs/${reply.body.id}`)).body).toEqual({
    object: 'automation_run_details',
    id: reply.body.id,
    status: 'running',
    started_at: null,
    completed_at: null,
    created_at: expect.stringMatching(TIMESTAMP),
    automation_id: id,
    contact_id: contact.id,
    email: 'me@example.com',
    step_key: 'start',
    due_at: expect.stringMatching(TIMESTAMP),
    waits_for: null,
    is_test: true,
    reason: null,
    event: { plan: 'pro' },
    steps: [
      expect.objectContaining({ key: 'start', status: 'pending', started_at: null }),
      expect.objectContaining({ key: 'pause', status: 'pending' }),
    ],
    graph: { steps: AUTOMATION.steps, connections: AUTOMATION.connections },
  })
  const [row] = await app.db.query<{ test: object }>(sql`
    select test from automation_runs where team_id = ${acme.team} and id = ${reply.body.id}`)
  expect(row!.test).toEqual({ to: 'me@example.com', waits: 'timeout' })
})

test('a test without a receiver, or of a contact that is not there, is refused', async () => {
  const { acme, id, path } = await start()

  expect((await acme.post(`${path}/test`, {})).status).toBe(422)
  expect((await acme.post(`${path}/test`, { to: 'me@example.com', contact_id: id })).body).toMatchObject({
    statusCode: 404,
    message: 'Contact not found',
  })
  expect((await acme.get('/automation-runs')).body.data).toEqual([])
})

test('runs of all automations are found by automation, status and address', async () => {
  const { app, acme, id, run } = await start()
  const { body: other } = await acme.post('/automations', { ...AUTOMATION, name: 'Other' })
  const { body: ada } = await acme.post('/contacts', { email: 'ada@example.com' })
  const first = await run({ contact: ada.id, status: 'failed' })
  const second = await run()
  const third = await addRun(app.db, acme.team, other.id, { contact: ada.id })
  const idsOf = async (query: string) =>
    (await acme.get(`/automation-runs${query}`)).body.data.map((one: { id: string }) => one.id)

  expect(await idsOf('')).toEqual([third, second, first])
  expect(await idsOf(`?automation_id=${id}`)).toEqual([second, first])
  expect(await idsOf('?status=failed,cancelled')).toEqual([first])
  expect(await idsOf('?email=ADA@example.com')).toEqual([third, first])
  expect(await idsOf(`?email=ada@example.com&automation_id=${id}&status=failed`)).toEqual([first])
  expect(await idsOf('?email=bob@example.com')).toEqual([])
  expect((await acme.get('/automation-runs')).body.data).toMatchObject([
    { email: 'ada@example.com', step_key: 'pause', is_test: false },
    { email: null, contact_id: expect.any(String) },
    { email: 'ada@example.com', step_key: null, due_at: null },
  ])
})

test('runs that ended long ago go, and graphs that nothing is left of', async () => {
  const { app, acme, path, run } = await start({ POSTWREN_RETENTION_RUNS: '2d' })
  await run({ status: 'completed' })
  const going = await run()
  await acme.patch(path, { steps: AUTOMATION.steps, connections: AUTOMATION.connections })
  const graphs = async () =>
    (await app.db.query(sql`select id from automation_graphs where team_id = ${acme.team}`)).length
  const ids = async () => (await acme.get(`${path}/runs`)).body.data.map((one: { id: string }) => one.id)

  await ensureRecurring(app.db, [sweepAutomationRuns])
  app.clock.advance(86_400)
  await app.runDueJobs()
  expect([(await ids()).length, await graphs()]).toEqual([2, 2])
  app.clock.advance(2 * 86_400)
  await app.runDueJobs()
  expect([await ids(), await graphs()]).toEqual([[going], 2])

  await acme.post(`${path}/runs/${going}/cancel`)
  app.clock.advance(3 * 86_400)
  await app.runDueJobs()
  expect([await ids(), await graphs()]).toEqual([[], 1])
})
