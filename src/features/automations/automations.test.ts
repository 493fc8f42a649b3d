import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { AUTOMATION, addRun, automationAfter } from '../../../test/harness/automations.ts'
import { newId } from '../../../test/harness/ids.ts'
import { stateOf } from '../../../test/harness/state.ts'
import { sql } from '../../kernel/db/sql.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}\+00$/

async function start() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await acme.post('/automations', AUTOMATION)
  const path = `/automations/${body.id}`
  return { app, acme, id: body.id as string, path }
}

const graphsOf = async ({ app, id }: Pick<Awaited<ReturnType<typeof start>>, 'app' | 'id'>) =>
  (
    await app.db.query<{ events: string[] }>(sql`
      select array(select event_name from automation_graph_events e where e.graph_id = g.id order by 1) as events
      from automation_graphs g where automation_id = ${id} order by g.id`)
  ).map(({ events }) => events)

test('an automation is created, shown, listed and deleted', async () => {
  const { acme, id, path } = await start()
  const { body: enabled } = await acme.post('/automations', { ...AUTOMATION, name: 'Second', status: 'enabled' })

  expect((await acme.get(path)).body).toEqual({
    object: 'automation',
    id,
    status: 'disabled',
    ...AUTOMATION,
    created_at: expect.stringMatching(TIMESTAMP),
    updated_at: expect.stringMatching(TIMESTAMP),
  })
  const { data } = (await acme.get('/automations')).body
  expect(data.map((one: { name: string }) => one.name)).toEqual(['Second', 'Welcome'])
  expect(Object.keys(data[0])).toEqual(['id', 'name', 'status', 'created_at', 'updated_at'])
  expect((await acme.get('/automations?status=enabled')).body.data).toMatchObject([{ id: enabled.id }])
  expect((await acme.get('/automations?status=odd')).status).toBe(422)

  expect((await acme.delete(path)).body).toEqual({ object: 'automation', id, deleted: true })
  expect((await acme.get(path)).body).toEqual({ statusCode: 404, message: 'Automation not found', name: 'not_found' })
})

test('what steps speak of must be there', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const { body: theirs } = await globex.post('/segments', { name: 'Theirs' })
  await acme.post('/templates', { name: 'Draft', alias: 'draft', html: '<p>Hello</p>' })
  await acme.post('/contact-properties', { key: 'age', type: 'number' })
  const before = await stateOf(app.db, acme.team)

  const wrong: [string, object, string][] = [
    ['delay', { duration: '31 days' }, ''],
    ['send_email', { template: { id: 'nothing' } }, 'There is no template `nothing`.'],
    ['send_email', { template: { id: newId() } }, 'There is no template'],
    ['send_email', { template: { id: 'draft' } }, 'The template `draft` is a draft. Publish it first.'],
    ['add_to_segment', { segment_id: theirs.id }, 'There is no segment'],
    ['contact_update', { properties: { size: 1 } }, 'There is no contact property with the key `size`.'],
    ['contact_update', { properties: { age: 'old' } }, 'It must be a number, null or a variable.'],
  ]
  for (const [type, config, message] of wrong) {
    const reply = await acme.post('/automations', { name: 'Wrong', ...withStep(type, config) })
    expect([reply.status, reply.body.name]).toEqual([422, 'validation_error'])
    expect(reply.body.message).toContain(message)
    expect(reply.body.message).toMatch(/^Invalid `steps\.second\.config\./)
  }

  expect(await stateOf(app.db, acme.team)).toEqual(before)
})

test('templates by id and alias, segments and properties of the team are good', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body: template } = await acme.post('/templates', { name: 'Hello', alias: 'hello', html: '<p>Hello</p>' })
  await acme.post('/templates/hello/publish')
  const { body: segment } = await acme.post('/segments', { name: 'Early' })
  await acme.post('/contact-properties', { key: 'age', type: 'number' })

  const good: [string, object][] = [
    ['send_email', { template: { id: 'hello' } }],
    ['send_email', { template: { id: template.id } }],
    ['add_to_segment', { segment_id: segment.id }],
    ['contact_update', { properties: { age: 7 } }],
    ['contact_update', { properties: { age: null } }],
    ['contact_update', { properties: { age: { var: 'event.age' } } }],
  ]
  for (const [type, config] of good)
    expect((await acme.post('/automations', { name: 'Good', ...withStep(type, config) })).status, type).toBe(201)
})

const withStep = (type: string, config: object) => ({
  steps: [
    { key: 'first', type: 'trigger', config: { event_name: 'user.created' } },
    { key: 'second', type, config },
  ],
  connections: [{ from: 'first', to: 'second' }],
})

test('a name changes alone, and steps only while nothing starts', async () => {
  const { app, acme, id, path } = await start()
  const change = (body: object) => acme.patch(path, body)

  expect((await change({ name: 'Hello' })).body).toEqual({ object: 'automation', id })
  expect(await graphsOf({ app, id })).toEqual([['user.created']])
  expect((await change({ status: 'enabled' })).status).toBe(200)
  const before = await stateOf(app.db, acme.team)
  for (const [body, message] of [
    [{}, 'Give at least one of `name`, `status`, or `steps` with `connections`.'],
    [{ steps: AUTOMATION.steps }, 'Give `steps` and `connections` together.'],
    [{ connections: AUTOMATION.connections }, 'Give `steps` and `connections` together.'],
    [automationAfter('other'), 'The steps of an enabled automation cannot be changed. Disable it first.'],
    [{ ...automationAfter('other'), status: 'enabled' }, 'The steps of an enabled automation cannot be changed.'],
  ] as const) {
    const reply = await change(body)
    expect([reply.status, reply.body.name]).toEqual([422, 'validation_error'])
    expect(reply.body.message, JSON.stringify(body)).toContain(message)
  }
  expect(await stateOf(app.db, acme.team)).toEqual(before)

  expect((await change({ ...automationAfter('other'), status: 'disabled' })).status).toBe(200)
  expect((await acme.get(path)).body).toMatchObject({ name: 'Hello', status: 'disabled', ...automationAfter('other') })
  expect(await graphsOf({ app, id })).toEqual([['other']])
  const [trigger] = AUTOMATION.steps
  expect((await change({ steps: [trigger], connections: [] })).status).toBe(200)
  expect((await acme.get(path)).body).toMatchObject({ steps: [trigger], connections: [] })
})

test('runs keep the graph that they began with, and its events as long as they go on', async () => {
  const { app, acme, id, path } = await start()
  const run = await addRun(app.db, acme.team, id)

  await acme.patch(path, automationAfter('second'))
  expect(await graphsOf({ app, id })).toEqual([['user.created'], ['second']])
  await addRun(app.db, acme.team, id, { status: 'completed' })
  await acme.patch(path, automationAfter('third'))

  expect(await graphsOf({ app, id })).toEqual([['user.created'], [], ['third']])
  expect((await acme.get(`/automation-runs/${run}`)).body.graph).toEqual(automationAfter('user.created'))
})

test('what is no graph is refused before anything is written', async () => {
  const { app, acme, path } = await start()
  const before = await stateOf(app.db, acme.team)
  const [trigger, pause] = AUTOMATION.steps

  for (const graph of [
    { steps: [], connections: [] },
    { steps: [pause], connections: [] },
    { steps: [trigger, trigger], connections: [] },
    { steps: [trigger, pause], connections: [] },
    { steps: [trigger, pause], connections: [{ from: 'start', to: 'nowhere' }] },
    { ...automationAfter('x'), connections: [...AUTOMATION.connections, { from: 'pause', to: 'pause' }] },
    { steps: Array.from({ length: 151 }, (_, n) => ({ ...pause, key: `${n}` })), connections: [] },
    { ...AUTOMATION, name: 7 },
    { ...AUTOMATION, status: 'running' },
  ])
    for (const reply of [
      await acme.post('/automations', { name: 'Wrong', ...graph }),
      await acme.patch(path, { name: 'Wrong', ...graph, steps: graph.steps.length === 0 ? [pause] : graph.steps }),
    ])
      expect([reply.status, reply.body.name], reply.text).toEqual([422, 'validation_error'])

  expect(await stateOf(app.db, acme.team)).toEqual(before)
})

test('a copy is disabled and has the settings', async () => {
  const { acme, path } = await start()
  await acme.patch(path, { status: 'enabled', name: 'x'.repeat(500) })
  await acme.patch(`${path}/settings`, { once_per_contact: 'ever' })

  const { status, body } = await acme.post(`${path}/duplicate`)

  expect([status, body]).toEqual([201, { object: 'automation', id: expect.any(String) }])
  const { steps, connections } = AUTOMATION
  const copy = (await acme.get(`/automations/${body.id}`)).body
  expect(copy).toMatchObject({ status: 'disabled', name: `${'x'.repeat(493)} (Copy)`, steps, connections })
  expect((await acme.get(`/automations/${body.id}/settings`)).body.once_per_contact).toBe('ever')
})

test('settings are kept apart, and say how often a contact may take part', async () => {
  const { acme, id, path } = await start()

  expect((await acme.get(`${path}/settings`)).body).toEqual({
    object: 'automation_settings',
    automation_id: id,
    once_per_contact: 'never',
  })
  expect((await acme.patch(`${path}/settings`, { once_per_contact: 'while_running' })).body).toMatchObject({
    once_per_contact: 'while_running',
  })
  expect((await acme.patch(`${path}/settings`, { once_per_contact: 'twice' })).status).toBe(422)
  expect((await acme.patch(`${path}/settings`, {})).body).toMatchObject({ once_per_contact: 'while_running' })
})

test('stopping disables it and cancels what runs, and disabling does not', async () => {
  const { app, acme, id, path } = await start()
  await acme.patch(path, { status: 'enabled' })
  const running = await addRun(app.db, acme.team, id)
  const done = await addRun(app.db, acme.team, id, { status: 'completed' })
  const statusOf = async (run: string) => (await acme.get(`${path}/runs/${run}`)).body.status

  await acme.patch(path, { status: 'disabled' })
  expect(await statusOf(running)).toBe('running')
  await acme.patch(path, { status: 'enabled' })
  expect((await acme.post(`${path}/stop`)).body).toEqual({ object: 'automation', id, status: 'disabled' })

  expect([await statusOf(running), await statusOf(done)]).toEqual(['cancelled', 'completed'])
  expect((await acme.get(path)).body.status).toBe('disabled')
  expect(await numbersOf(acme, path, 'pause')).toMatchObject({ cancelled: 1 })
})

const numbersOf = async (client: Client, path: string, step: string) =>
  (await client.get(`${path}/numbers`)).body.steps.find(({ key }: { key: string }) => key === step)

test.each(['stop', 'delete'])('more runs than one transaction takes: a job does the rest of a %s', async (act) => {
  const { app, acme, id, path } = await start()
  await app.db.query(sql`
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, due_at, event, wait_events,
      trail, created_at)
    select team_id, ('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, id, graph_id, id, 'running', 'pause', now(), '{}',
      '{}', '[]', now()
    from automations, generate_series(1, 10001) n where id = ${id}`)
  const countOf = async (status: string) =>
    (
      await app.db.query<{ count: number }>(sql`
        select count(*)::int as count from automation_runs where team_id = ${acme.team} and status = ${status}`)
    )[0]!.count

  await (act === 'stop' ? acme.post(`${path}/stop`) : acme.delete(path))
  const [stopped] = await app.db.query<{ before: string }>(sql`
    select stopped_before as before from automations where id = ${id}`)
  // What is left is before it, and nothing else.
  expect(stopped?.before).toBe(act === 'stop' ? '01900000-0000-7000-8000-000000000002' : undefined)
  expect(await countOf('running')).toBe(1)
  expect((await acme.get('/automation-runs?status=running')).body.data.length).toBe(act === 'stop' ? 1 : 0)
  await app.runDueJobs()

  expect([await countOf('running'), await countOf('cancelled')]).toEqual([0, act === 'stop' ? 10_001 : 0])
})

test('a run that goes on can be cancelled, and one that has ended cannot', async () => {
  const { app, acme, id, path } = await start()
  const run = await addRun(app.db, acme.team, id)

  const reply = await acme.post(`${path}/runs/${run}/cancel`)

  expect(reply.body).toEqual({ object: 'automation_run', id: run, status: 'cancelled' })
  expect((await acme.get(`${path}/runs/${run}`)).body).toMatchObject({
    status: 'cancelled',
    completed_at: expect.stringMatching(TIMESTAMP),
    steps: [{ status: 'skipped' }, { status: 'skipped' }],
  })
  expect((await acme.post(`${path}/runs/${run}/cancel`)).body).toMatchObject({
    statusCode: 422,
    message: 'Only a run that goes on can be cancelled; this one is cancelled.',
  })
})

test('numbers are those of the steps and connections that there are', async () => {
  const { app, acme, id, path } = await start()
  const note = (step: string, name: string, count: number) =>
    app.db.query(sql`
      insert into automation_numbers (team_id, automation_id, step_key, name, count)
      values (${acme.team}, ${id}, ${step}, ${name}, ${count})`)
  await note('start', 'entered', 9)
  await note('start', 'completed', 9)
  await note('start', 'took_default', 9)
  await note('pause', 'entered', 9)
  await note('pause', 'completed', 3)
  await note('pause', 'cancelled', 2)
  await note('gone', 'entered', 1)

  const { body } = await acme.get(`${path}/numbers`)

  const nothing = { failed: 0, skipped: 0, sent: 0, opened: 0, clicked: 0 }
  expect(body).toEqual({
    object: 'automation_numbers',
    automation_id: id,
    steps: [
      { key: 'start', entered: 9, waiting: 0, completed: 9, cancelled: 0, ...nothing },
      { key: 'pause', entered: 9, waiting: 4, completed: 3, cancelled: 2, ...nothing },
    ],
    connections: [{ from: 'start', to: 'pause', type: 'default', taken: 9 }],
  })
})

test('an automation of another team is nothing', async () => {
  const { app, acme, id, path } = await start()
  const run = await addRun(app.db, acme.team, id)
  const globex = await app.as('globex')
  const { body: theirs } = await globex.post('/automations', AUTOMATION)
  const before = await stateOf(app.db, acme.team)

  const replies = [
    await globex.get(path),
    await globex.patch(path, { name: 'Mine' }),
    await globex.delete(path),
    await globex.post(`${path}/stop`),
    await globex.get(`${path}/runs`),
    await globex.get(`/automations/${theirs.id}/runs/${run}`),
    await globex.post(`/automations/${theirs.id}/runs/${run}/cancel`),
    await globex.get(`/automation-runs/${run}`),
  ]

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404))
  for (const query of ['', `?automation_id=${id}`, '?status=running'])
    expect((await globex.get(`/automation-runs${query}`)).body.data).toEqual([])
  expect(await stateOf(app.db, acme.team)).toEqual(before)
})
