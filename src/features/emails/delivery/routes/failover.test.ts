import { beforeEach, describe, expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import {
  hangUp,
  type MailServerOptions,
  type Reaction,
  thenHangUp,
} from '../../../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { relayRoute, routesFile, startRouted } from '../../../../../test/harness/routes.ts'
import { sql } from '../../../../kernel/db/sql.ts'

const auth = { user: 'relay', pass: 'geheim' }
const LOGIN = 'relay:geheim@'

async function startTwo(first: MailServerOptions = {}, second: MailServerOptions = {}) {
  const [a, b] = [await startMailServer(first), await startMailServer(second)]
  const started = await startRouted({
    routes: [relayRoute('a', a, first.auth ? LOGIN : ''), relayRoute('b', b, second.auth ? LOGIN : '')],
  })
  return { ...started, a, b }
}

type Two = Awaited<ReturnType<typeof startTwo>>

const at =
  (step: string, reaction: Reaction): NonNullable<MailServerOptions['react']> =>
  (moment) =>
    moment.step === step ? reaction : undefined

/** Until nothing is left to be tried, over hours. */
async function deliverAll({ app }: Two) {
  await app.deliverDue()
  for (let round = 0; round < 6; round++) {
    app.clock.advance(600)
    await app.deliverDue()
  }
}

describe('a first way that dies, or refuses', () => {
  test.each<[string, string, Reaction]>([
    ['on connecting', 'CONNECT', hangUp],
    ['in its banner', 'CONNECT', thenHangUp('554 5.3.2 No service')],
    ['at EHLO', 'EHLO', hangUp],
    ['at EHLO, with a word', 'EHLO', thenHangUp('421 4.3.2 Going down')],
    ['at AUTH', 'AUTH', hangUp],
    ['by refusing the login', 'AUTH', '535 5.7.8 Wrong password'],
    ['at MAIL', 'MAIL', hangUp],
    ['by refusing the sender', 'MAIL', '550 5.7.1 Sender is not allowed to relay'],
    ['by being busy', 'MAIL', '451 4.3.0 Temporary server error'],
    ['at RCPT', 'RCPT', hangUp],
    ['by not relaying', 'RCPT', '554 5.7.1 Relay access denied'],
    ['at DATA', 'DATA', hangUp],
    ['by refusing DATA', 'DATA', '451 4.3.0 Temporary server error'],
    ['by refusing the message', 'MESSAGE', '451 4.3.0 Temporary server error'],
    ['by leaving after the message, with a word', 'MESSAGE', thenHangUp('421 4.3.0 Going down')],
  ])('%s has not taken the mail, and the second one does', async (_, step, reaction) => {
    const two = await startTwo({ auth, react: at(step, reaction) })
    const id = await sendEmail(two.acme, { from: two.from, to: 'ada@one.dev' })
    await two.app.deliverDue()

    expect(two.b.messages).toHaveLength(1)
    expect((await readEmail(two.acme, id)).deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
    two.a.react(() => undefined)
    await deliverAll(two)
    expect([two.a.messages.length, two.b.messages.length]).toEqual([0, 1])
  })

  test('that refuses our address is asked once, and counted once: what the pause keeps from it is no attempt', async () => {
    const refusal = '554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org'
    const [strict, other] = [await startMailServer({ react: at('MAIL', refusal) }), await startMailServer()]
    // Pauses outlive a test: no other one has this route.
    const { app, acme, from } = await startRouted({
      routes: [relayRoute('strict', strict), relayRoute('other', other)],
    })
    for (const to of ['ada@one.dev', 'bob@one.dev', 'eve@one.dev']) {
      await sendEmail(acme, { from, to })
      await app.deliverDue()
    }

    expect([strict.count('MAIL'), other.messages.length]).toEqual([1, 3])
    expect(await app.metrics.render()).toMatch(/^postwren_route_mail_total\{route="strict",result="refused"\} 1$/m)
  })

  test('after the message, without a word, may have taken it: it stays there, and no other way gets it', async () => {
    const two = await startTwo({ react: at('MESSAGE', hangUp) })
    const id = await sendEmail(two.acme, { from: two.from, to: 'ada@one.dev' })
    await two.app.deliverDue()
    const [row] = await two.app.db.query<{ route: string }>(sql`select route from deliveries`)
    expect(row).toEqual({ route: 'a' })
    expect((await readEmail(two.acme, id)).deliveries[0].replies[0].reply).toContain('may have been delivered')

    // It is out of use for the others, and still the only one for this mail.
    await sendEmail(two.acme, { from: two.from, to: 'bob@one.dev' })
    await two.app.deliverDue()
    expect(two.b.messages.map(({ to }) => to)).toEqual([['bob@one.dev']])
    two.a.react(() => undefined)
    await deliverAll(two)
    expect(two.a.seen.map(({ to }) => to)).toEqual([['ada@one.dev'], ['ada@one.dev']])
    expect(two.b.messages).toHaveLength(1)
  })

  test.each([
    ['550 5.1.1 User unknown', 'bounced'],
    ['450 4.2.1 Greylisted', 'waiting'],
    ['550 5.7.1 This message contains a virus', 'bounced'],
  ])('speaks of the recipient or the message (%s): no other way is tried', async (reply, state) => {
    const two = await startTwo({ react: at('RCPT', reply) })
    const id = await sendEmail(two.acme, { from: two.from, to: 'ada@one.dev' })
    await two.app.deliverDue()
    expect((await readEmail(two.acme, id)).deliveries[0]).toMatchObject({ state, attempts: 1 })
    expect(two.b.connections.total).toBe(0)
  })
})

describe('a way that takes no mail', () => {
  let two: Two
  beforeEach(async () => {
    two = await startTwo({ react: at('CONNECT', hangUp) })
  })
  const send = (to: string) => sendEmail(two.acme, { from: two.from, to })

  test('is asked by one mail at a time, is said once, and is back with the first that it takes', async () => {
    for (const to of ['u1@one.dev', 'u2@one.dev', 'u3@one.dev']) {
      await send(to)
      await two.app.deliverDue()
    }
    expect([two.a.connections.total, two.b.messages.length]).toEqual([1, 3])
    expect(two.saying('delivery: route a cannot be reached; mail takes another route or waits')).toHaveLength(1)
    expect(await two.app.metrics.render()).toMatch(
      /^postwren_route_up\{route="a"\} 0\npostwren_route_up\{route="b"\} 1$/m,
    )

    two.a.react(() => undefined)
    two.app.clock.advance(5)
    await send('u4@one.dev')
    await two.app.deliverDue()
    expect([two.a.messages.length, two.b.messages.length]).toEqual([1, 3])
    expect(two.saying('delivery: route a is back')).toHaveLength(1)
    expect(await two.app.metrics.render()).toMatch(/^postwren_route_mail_total\{route="a",result="fault"\} 1$/m)
  })

  test('has its mail wait, untried, when there is no other; whichever is back first takes it', async () => {
    two.b.react(at('CONNECT', hangUp))
    const ids = [await send('ada@one.dev'), await send('bob@one.dev')]
    await two.app.deliverDue()
    const rows = await two.app.db.query(sql`select attempts, parked_for from deliveries order by recipient`)
    expect(rows).toEqual([
      { attempts: 0, parked_for: 'route/a,b' },
      { attempts: 0, parked_for: 'route/a,b' },
    ])
    two.b.react(() => undefined)
    two.app.clock.advance(5)
    await two.app.deliverDue()
    await two.app.deliverDue()
    expect(two.b.messages).toHaveLength(2)
    expect((await readEmail(two.acme, ids[0]!)).deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  test('is known to all processes, and after a restart', async () => {
    await send('ada@one.dev')
    await two.app.deliverDue()
    await two.app.until(async () => (await two.app.db.query(sql`select from delivery_routes`)).length === 1)
    const [row] = await two.app.db.query(sql`select name, state, faults, fault, reply from delivery_routes`)
    expect(row).toMatchObject({ name: 'a', state: 'open', faults: 1, fault: 'connection' })
  })
})

test('who was moved to a route goes there; a name that is not there moves nobody', async () => {
  const two = await startTwo()
  await sendEmail(two.acme, { from: two.from, to: 'ada@one.dev' })
  await sendEmail(two.acme, { from: two.from, to: 'bob@one.dev' })
  await two.app.db.query(
    sql.write`update deliveries set route = case recipient when 'ada@one.dev' then 'b' else 'gone' end`,
  )
  await two.app.deliverDue()
  expect(two.a.messages.map(({ to }) => to)).toEqual([['bob@one.dev']])
  expect(two.b.messages.map(({ to }) => to)).toEqual([['ada@one.dev']])
})

test('recipients of one email that take different ways each get it once', async () => {
  const two = await startTwo({
    react: ({ step, line }) => (step === 'RCPT' && line.includes('bob') ? '554 5.7.1 Relay access denied' : undefined),
  })
  await sendEmail(two.acme, { from: two.from, to: ['ada@one.dev', 'bob@one.dev', 'eve@one.dev'] })
  await deliverAll(two)
  expect(two.a.messages.map(({ to }) => to[0]).sort()).toEqual(['ada@one.dev', 'eve@one.dev'])
  expect(two.b.messages.map(({ to }) => to)).toEqual([['bob@one.dev']])
})

test('a site that refuses our address is left alone, and mail for it takes the other way at once', async () => {
  const relay = await startMailServer()
  const routes = routesFile({ routes: [{ name: 'direct', kind: 'direct' }, relayRoute('relay', relay)] })
  const { app, acme, dns, server, from } = await startDirect(
    { react: at('MAIL', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org') },
    { POSTWREN_ROUTES: routes },
  )
  const domain = `strict-${Math.random().toString(36).slice(2)}.dev`
  dns.set(domain, { MX: [{ exchange: `mx.${domain}`, preference: 10 }] })
  dns.set(`mx.${domain}`, { A: ['127.0.0.1'] })

  for (const name of ['ada', 'bob', 'eve']) {
    await sendEmail(acme, { from, to: `${name}@${domain}` })
    await app.deliverDue()
  }
  expect([server.connections.total, relay.messages.length]).toEqual([1, 3])

  server.react(() => undefined)
  app.clock.advance(3_600)
  await app.deliverDue()
  await sendEmail(acme, { from, to: `dan@${domain}` })
  await app.deliverDue()
  expect([server.messages.length, relay.messages.length]).toEqual([1, 3])
})

test('mail that waits for a route which is not in the file any more goes another way', async () => {
  const two = await startTwo()
  await sendEmail(two.acme, { from: two.from, to: 'ada@one.dev' })
  await two.app.db.query(sql.write`
    update deliveries set parked_for = 'route/gone', claims = 1, due_at = ${two.app.clock.now()}::timestamptz + interval '1 day'`)
  await two.app.delivery.start()
  await two.a.until(() => two.a.messages.length === 1)

  expect(two.a.messages.map(({ to }) => to)).toEqual([['ada@one.dev']])
})
