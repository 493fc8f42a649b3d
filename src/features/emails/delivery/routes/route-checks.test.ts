import { expect, test } from 'vitest'
import { sendEmail } from '../../../../../test/harness/emails.ts'
import { startResendApi, startSes } from '../../../../../test/harness/mail-apis.ts'
import { hangUp } from '../../../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { relayRoute, startRouted } from '../../../../../test/harness/routes.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { loadConfig } from '../../../../platform/settings/config.ts'
import { type CheckedRoute, checkRoute } from './check-route.ts'
import { listRoutes } from './list-routes.ts'
import { RouteChecks } from './route-checks.ts'
import { RouteStates } from './route-states.ts'

async function startStates(file: { routes: readonly object[] }) {
  const started = await startRouted(file)
  const { app, settings } = started
  const config = loadConfig(settings)
  const routes = config.ROUTES!.routes.filter((route) => route.kind !== 'direct')
  const { log } = started
  const states = new RouteStates(app.db, { log, routes })
  const check = (route: CheckedRoute) =>
    checkRoute(route, { clock: app.db.clock, heloName: 'mail.acme.dev', sourceAddresses: {} })
  const checks = new RouteChecks(app.db, { log, states, routes, check })
  const kept = (count: number) =>
    app.until(async () => (await app.db.query(sql`select from delivery_routes where state = 'open'`)).length === count)
  return { ...started, config, routes, states, checks, kept }
}

test('ways that no mail takes are asked how they are, and nobody is sent anything', async () => {
  const auth = { user: 'relay', pass: 'geheim' }
  const react = ({ step }: { step: string }) => (step === 'AUTH' ? '535 5.7.8 Wrong password' : undefined)
  const [dead, well] = [await startMailServer({ react: () => hangUp }), await startMailServer()]
  const closed = await startMailServer({ react, auth })
  const [ses, api] = [await startSes(), await startResendApi()]
  const { app, config, checks, kept, saying, text } = await startStates({
    routes: [
      relayRoute('dead', dead),
      relayRoute('well', well),
      relayRoute('closed', closed, 'relay:geheim@'),
      { ...ses.route(), secret_access_key: 'wrong' },
      ses.route('ses-well'),
      api.route(),
      { ...api.route('api-closed'), key: 're_wrong' },
    ],
  })
  await checks.checkIdle()
  await kept(4)

  const listed = await listRoutes(app.db, config)
  expect(listed.map(({ name, state, fault }) => [name, state, fault?.fault ?? null])).toEqual([
    ['dead', 'down', 'connection'],
    ['well', 'up', null],
    ['closed', 'down', 'login'],
    ['ses', 'down', 'login'],
    ['ses-well', 'up', null],
    ['api', 'up', null],
    ['api-closed', 'down', 'login'],
  ])
  expect([well.messages, ses.messages, api.emails]).toEqual([[], [], []])
  expect(saying('delivery: route closed refuses the login; mail takes another route or waits')).toHaveLength(1)
  expect(text()).not.toMatch(/geheim|re_wrong/)
  // Not again before it is time.
  const asked = api.requests.length
  await checks.checkIdle()
  expect(api.requests).toHaveLength(asked)
})

test('what one process finds out all others know, and whichever finds a way well says so for all', async () => {
  const relay = await startMailServer({ react: () => hangUp })
  const other = await startMailServer()
  const { app, acme, from, routes, log, kept } = await startStates({
    routes: [relayRoute('a', relay), relayRoute('b', other)],
  })
  const second = new RouteStates(app.db, { log, routes })
  const ignore = await second.follow()
  try {
    await sendEmail(acme, { from, to: 'ada@one.dev' })
    await app.deliverDue()
    await kept(1)
    await app.until(async () => !second.isUp('a'))
    expect(second.admits('a')).toBe(false)

    app.clock.advance(5)
    relay.react(() => undefined)
    expect(second.room('a')).toBe(1)
    second.begin('a')
    expect(second.room('a')).toBe(0)
    second.answered('a', app.clock.now())
    await kept(0)
    expect(second.isUp('a')).toBe(true)
  } finally {
    ignore()
  }
})

test('a process that starts knows which ways are down, and which are out of use', async () => {
  const relay = await startMailServer()
  const { app, routes, log } = await startStates({ routes: [relayRoute('a', relay), relayRoute('b', relay)] })
  const now = app.clock.now()
  await app.db.query(sql.write`
    insert into delivery_routes (name, state, since, faults, changed_at, retry_at, held_at)
    values ('a', 'open', ${now}, 3, ${now}, ${new Date(now.getTime() + 30_000)}, null), ('b', 'closed', ${now}, 0, ${now}, null, ${now})`)
  const started = new RouteStates(app.db, { log, routes })
  ;(await started.follow())()
  expect([started.admits('a'), started.admits('b')]).toEqual([false, false])
  app.clock.advance(30)
  expect([started.room('a'), started.room('b')]).toEqual([1, 0])
})
