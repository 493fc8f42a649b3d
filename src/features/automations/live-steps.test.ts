import { expect, test } from 'vitest'
import { type Client, startApp } from '../../../test/harness/app.ts'
import { AUTOMATION, addRun, automationAfter } from '../../../test/harness/automations.ts'

const putSteps = (client: Client, path: string, payload: object) =>
  client.send({ method: 'PUT', url: `${path}/steps`, payload })

async function startEnabled() {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id } = (await acme.post('/automations', { ...AUTOMATION, status: 'enabled' })).body
  return { app, acme, id: id as string, path: `/automations/${id}` }
}

test('the steps of an enabled automation are replaced at once, and its runs go on with theirs', async () => {
  const { app, acme, id, path } = await startEnabled()
  const run = await addRun(app.db, acme.team, id)
  const next = automationAfter('user.deleted')

  expect((await acme.patch(path, next)).status).toBe(422)
  const { status, body } = await putSteps(acme, path, { name: 'Goodbye', ...next })

  expect([status, body]).toEqual([200, { object: 'automation', id }])
  expect((await acme.get(path)).body).toMatchObject({ name: 'Goodbye', status: 'enabled', ...next })
  expect((await acme.get(`/automation-runs/${run}`)).body).toMatchObject({
    status: 'running',
    graph: { steps: AUTOMATION.steps },
  })
  await acme.post('/events/send', { event: 'user.deleted', email: 'ada@example.com' })
  await app.runAutomations()
  expect((await acme.get(`${path}/runs`)).body.data).toHaveLength(2)
})

test('steps that are refused leave an automation as it was, enabled', async () => {
  const { app, acme, path } = await startEnabled()
  const before = (await acme.get(path)).body
  const broken = automationAfter('user.created')
  broken.steps[1]!.config = { duration: '31 days' } as never

  expect((await putSteps(acme, path, broken)).status).toBe(422)
  const missing = [...AUTOMATION.steps, { key: 'mail', type: 'send_email', config: { template: { id: 'nothing' } } }]
  const connections = [...AUTOMATION.connections, { from: 'pause', to: 'mail', type: 'default' }]
  expect((await putSteps(acme, path, { steps: missing, connections })).status).toBe(422)
  const stranger = await app.as('globex')
  expect((await putSteps(stranger, path, automationAfter('user.created'))).status).toBe(404)

  expect((await acme.get(path)).body).toEqual(before)
})

test('the list of runs says why one has failed', async () => {
  const { app, acme, id } = await startEnabled()
  const at = '2026-11-15T01:20:30.123Z'
  const entry = (key: string, error: object | null) => ({
    ...{ key, type: 'delay', status: error ? 'failed' : 'completed', output: null, error },
    ...{ started_at: at, completed_at: at, created_at: at },
  })
  const trail = [entry('start', null), entry('pause', { message: 'The template has no subject.' })]
  await addRun(app.db, acme.team, id, { status: 'failed', trail })
  await addRun(app.db, acme.team, id, { status: 'completed', trail: [entry('start', null)] })

  const { data } = (await acme.get('/automation-runs')).body
  expect(data.map(({ status, reason }: { status: string; reason: string | null }) => [status, reason])).toEqual([
    ['completed', null],
    ['failed', 'The template has no subject.'],
  ])
})
