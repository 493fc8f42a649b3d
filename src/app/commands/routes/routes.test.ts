import { beforeEach, expect, test } from 'vitest'
import { runCommand, runForJson } from '../../../../test/harness/commands.ts'
import { sendEmail } from '../../../../test/harness/emails.ts'
import { hangUp } from '../../../../test/harness/mail-conversation.ts'
import { type MailServer, startMailServer } from '../../../../test/harness/mail-server.ts'
import { relayRoute, startRouted } from '../../../../test/harness/routes.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { holdRouteCommand, releaseRouteCommand } from './hold.ts'
import { listRoutesCommand } from './list.ts'

let started: Awaited<ReturnType<typeof startRouted>>
let a: MailServer
let b: MailServer

beforeEach(async () => {
  a = await startMailServer()
  b = await startMailServer()
  started = await startRouted({ routes: [relayRoute('a', a, 'user:geheim@'), relayRoute('b', b)] })
})

const send = async () => {
  await sendEmail(started.acme, { from: started.from, to: 'ada@one.dev' })
  await started.app.deliverDue()
}

test('routes are listed with their state, and without their secrets', async () => {
  a.react(({ step }) => (step === 'CONNECT' ? hangUp : undefined))
  await send()
  await started.app.until(async () => (await started.app.db.query(sql`select from delivery_routes`)).length === 1)

  const { data } = await runForJson(listRoutesCommand, [], {}, started.settings)
  expect(data).toMatchObject([
    { object: 'route', name: 'a', kind: 'relay', state: 'down', last_fault: { kind: 'connection' } },
    { object: 'route', name: 'b', kind: 'relay', state: 'up', since: null, last_fault: null },
  ])
  const printed = await runCommand(listRoutesCommand, [], {}, started.settings)
  expect(printed).toMatch(/^NAME +KIND +HOST +STATE +SINCE +NOTE\na +relay +127\.0\.0\.1:\d+ +down /)
  expect(printed + JSON.stringify(data)).not.toContain('geheim')
})

test('a route that is taken out of use gets no mail until it is released, and all teams can read of it', async () => {
  const held = await runCommand(holdRouteCommand, ['b'], { reason: 'Maintenance.' }, started.settings)
  expect(held).toBe('Route b is out of use. Undo with: postwren routes release b')
  expect(await runCommand(holdRouteCommand, ['b'], { reason: 'Again.' }, started.settings)).toBe(
    'Route b is out of use already.',
  )
  expect((await runForJson(listRoutesCommand, [], {}, started.settings)).data[1]).toMatchObject({
    ...{ name: 'b', state: 'held', hold_reason: 'Maintenance.' },
  })
  expect((await started.app.send({ method: 'GET', url: '/readyz' })).body.checks.routes).toBe('ok')

  await runCommand(releaseRouteCommand, ['b'], {}, started.settings)
  expect((await runForJson(listRoutesCommand, [], {}, started.settings)).data[1]).toMatchObject({ state: 'up' })
  const { body } = await started.acme.get('/audit-events?limit=10')
  const actions = body.data.map(({ action, details }: Record<string, unknown>) => [action, details])
  expect(actions).toEqual(
    expect.arrayContaining([
      ['routes.hold', { route: 'b', reason: 'Maintenance.' }],
      ['routes.release', { route: 'b' }],
    ]),
  )
})

test('a name that is no route, and a hold without a reason, are one line', async () => {
  await expect(runCommand(holdRouteCommand, ['c'], { reason: 'x' }, started.settings)).rejects.toThrow(
    'There is no route `c`. There are: a, b.',
  )
  await expect(runCommand(holdRouteCommand, ['a'], {}, started.settings)).rejects.toThrow('Missing --reason')
})

test('a way that takes no mail has the service degraded, and it takes traffic', async () => {
  a.react(({ step }) => (step === 'CONNECT' ? hangUp : undefined))
  await send()
  const read = () => started.app.send({ method: 'GET', url: '/readyz' })
  await started.app.until(async () => (await read()).body.status === 'degraded')
  const { status, body } = await read()
  expect([status, body.checks.routes, body.checks.routes_down]).toEqual([200, 'down', ['a']])
})
