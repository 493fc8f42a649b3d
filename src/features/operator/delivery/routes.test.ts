import { expect, test } from 'vitest'
import { emptyLedger, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { hangUp } from '../../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../../test/harness/mail-server.ts'
import { operatorOf } from '../../../../test/harness/operators.ts'
import { relayRoute, startRouted } from '../../../../test/harness/routes.ts'
import { LOOPBACK_SOURCES, sourcesSetting } from '../../../../test/harness/sources.ts'
import { sql } from '../../../kernel/db/sql.ts'

const reason = 'They have an outage'

async function start() {
  const [main, backup] = [await startMailServer(), await startMailServer()]
  const started = await startRouted({
    routes: [relayRoute('main', main, 'user:geheim@'), relayRoute('backup', backup)],
  })
  await started.app.db.query(sql`delete from delivery_routes`)
  return { ...started, main, backup, operator: await operatorOf(started.app) }
}

test('a route that is down is listed with its last fault and without its secrets; mail takes the other', async () => {
  const { app, acme, from, main, backup, operator } = await start()
  main.react(({ step }) => (step === 'CONNECT' ? hangUp : undefined))
  await sendEmail(acme, { from, to: 'ada@one.dev' })
  await app.deliverDue()
  const read = () => operator.get('/operator/delivery/routes')
  await app.until(async () => (await read()).body.data[0].state === 'down')

  const { body, text } = await read()
  expect(body).toMatchObject({
    object: 'delivery_routes',
    data: [
      {
        ...{ name: 'main', kind: 'relay', host: `127.0.0.1:${main.port}`, state: 'down', hold_reason: null },
        ...{ since: expect.any(String), retry_at: expect.any(String) },
        last_fault: { kind: 'connection', about: 'cannot be reached', reply: expect.any(String) },
      },
      { name: 'backup', state: 'up', since: null, retry_at: null, last_fault: null },
    ],
  })
  expect(text).not.toContain('geheim')
  expect(backup.messages).toHaveLength(1)
})

test('a route is taken out of use and into use again, each with a reason in the log of every team', async () => {
  const { acme, operator } = await start()
  const post = async (act: string, body: object) => await operator.post(`/operator/delivery/routes/${act}`, body)
  const change = (is_changed: boolean) => ({ object: 'route_change', route: 'backup', is_changed })

  const body = { route: 'backup', reason }
  expect((await post('hold', body)).body).toEqual(change(true))
  expect((await post('hold', body)).body).toEqual(change(false))
  const { body: held } = await operator.get('/operator/delivery/routes')
  expect(held.data[1]).toMatchObject({ name: 'backup', state: 'held', hold_reason: reason })
  expect((await post('release', { route: 'backup', reason: 'It is over' })).body).toEqual(change(true))
  const wrong = [await post('hold', { route: 'backup' }), await post('hold', { route: 'nowhere', reason })]

  expect(wrong.map(({ status }) => status)).toEqual([422, 422])
  expect(wrong[1]!.body.message).toBe('Invalid `route` field. There is no such route. There are: main, backup.')
  const { body: audit } = await acme.get('/audit-events?limit=10')
  expect(audit.data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'routes.hold', details: { route: 'backup', reason } }),
      expect.objectContaining({ action: 'routes.release', details: { route: 'backup', reason: 'It is over' } }),
    ]),
  )
})

test('mail that waits is moved to another route, and back to what the rules say', async () => {
  const { app, acme, from, backup, operator } = await start()
  const move = (body: object) => operator.post('/operator/delivery/move', { reason, ...body })
  await operator.post('/operator/delivery/routes/hold', { route: 'main', reason })
  const id = await sendEmail(acme, { from, to: 'ada@one.dev' })
  const routeOf = async () =>
    (await app.db.query(sql`select route from deliveries where email_id = ${id}`)) as { route: string | null }[]

  const moved = await move({ email: id, route: 'main' })
  expect(await routeOf()).toEqual([{ route: 'main' }])
  const again = await move({ email: id, route: null })
  const wrong = [await move({ email: id, route: 'nowhere' }), await move({ email: id }), await move({ route: 'main' })]

  const done = { object: 'queue_change', recipients: 1, in_flight: 0, is_complete: true }
  expect([moved.body, again.body]).toEqual([done, done])
  expect(wrong.map(({ status }) => status)).toEqual([422, 422, 422])
  expect(await routeOf()).toEqual([{ route: null }])
  await app.deliverDue()
  expect(backup.messages).toHaveLength(1)
  const { body } = await acme.get('/audit-events?action=queue.move')
  expect(body.data[1]).toMatchObject({ details: { email: id, route: 'main', reason, recipients: 1 } })
})

test('where nothing leaves there are neither routes nor sources', async () => {
  const { app } = await startAcme()
  const operator = await operatorOf(app)

  const [routes, sources] = [
    await operator.get('/operator/delivery/routes'),
    await operator.get('/operator/delivery/sources'),
  ]
  const finished = await operator.post('/operator/delivery/sources/finish', { domain: 'example.com', reason })

  expect([routes.body.data, sources.body.data, sources.body.domains]).toEqual([[], [], []])
  expect([finished.status, finished.body.message]).toEqual([
    422,
    'There are no sources: POSTWREN_SOURCES names no file.',
  ])
})

test('sources are listed with pools, pauses and their warm-up at each provider, which is restarted and finished', async () => {
  const file = { sources: [{ ...LOOPBACK_SOURCES[0], warm_up: true }, LOOPBACK_SOURCES[1]], warm_up_domains: true }
  const { app, acme } = await startAcme(sourcesSetting(file))
  await emptyLedger(app)
  for (const table of [sql`warm_ups`, sql`delivery_pauses`]) await app.db.query(sql`delete from ${table}`)
  const operator = await operatorOf(app)
  const until = new Date(app.clock.now().getTime() + 900_000)
  await app.db.query(sql`
    insert into delivery_pauses (destination, kind, identity, refusals, paused_until, reply, refused_at)
    values ('outlook', 'source', '127.0.0.3', 1, ${until}, '550 5.7.1 Listed', ${app.clock.now()})`)
  const steer = async (act: string, body: object) =>
    await operator.post(`/operator/delivery/sources/${act}`, { reason, ...body })

  const limit = async (source: string) =>
    (await operator.post('/operator/delivery/ceilings', { provider: 'gmail', source, rate: '1/s', reason })).body
  expect(await limit('four')).toMatchObject({
    message: 'Invalid `source` field. It must be a source of POSTWREN_SOURCES, by its name or its address.',
  })
  expect(await limit('two')).toMatchObject({ object: 'delivery_ceiling' })

  const finished = await steer('finish', { source: 'two', provider: 'gmail' })
  await steer('restart', { domain: 'Example.com', provider: 'yahoo' })
  const wrong = [
    await steer('finish', { source: 'four' }),
    await steer('finish', {}),
    await steer('finish', { source: 'two', domain: 'example.com' }),
    await steer('finish', { source: 'two', provider: 'nobody' }),
    await steer('finish', { domain: 'no-domain' }),
    await steer('finish', { source: 'two', reason: '' }),
  ]

  expect(finished.body).toEqual({ object: 'warm_up', source: 'two', domain: null, provider: 'gmail' })
  expect(wrong.map(({ status }) => status)).toEqual(Array(6).fill(422))
  const { body } = await operator.get('/operator/delivery/sources')
  expect(body).toMatchObject({
    data: [
      {
        ...{ name: 'two', address: '127.0.0.2', ehlo: 'two.test', pools: [{ name: 'default', weight: 1 }] },
        ...{ warms_up: true, warm_ups: [{ provider: 'gmail', allowance: null, is_finished: true }], pauses: [] },
      },
      {
        ...{ name: 'three', warms_up: false, warm_ups: [] },
        pauses: [{ destination: 'outlook', paused_until: until.toISOString(), reply: '550 5.7.1 Listed' }],
      },
    ],
    domains: [{ name: 'example.com', warm_ups: [{ provider: 'yahoo', day: 0, allowance: 50, sent_today: 0 }] }],
  })
  const audited = await app.db.query<{ action: string; details: object }>(sql`
    select action, details from audit_events where team_id = ${acme.team} and action like 'sources.%' order by id`)
  expect(audited).toEqual([
    { action: 'sources.finish', details: { source: 'two', provider: 'gmail', reason } },
    { action: 'sources.restart', details: { domain: 'example.com', provider: 'yahoo', reason } },
  ])
})
