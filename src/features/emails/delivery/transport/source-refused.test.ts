import { describe, expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { sourceIdentity } from '../pace/identity.ts'
import { Pauses } from '../pace/pauses.ts'

const BLOCKED = '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'

async function start(step: string, reply = BLOCKED) {
  const started = await startDirect({ react: (moment) => (moment.step === step ? reply : undefined) })
  const domain = `r-${Math.random().toString(36).slice(2)}.dev`
  const other = `o-${Math.random().toString(36).slice(2)}.dev`
  const mx = `mx.${domain}`
  for (const name of [domain, other]) started.dns.set(name, { MX: [{ exchange: mx, preference: 10 }] })
  started.dns.set(mx, { A: ['127.0.0.1'] })
  const { acme, from } = started
  const send = (to: string) => sendEmail(acme, { from, to })
  return { ...started, domain, other, mx, send }
}

type Started = Awaited<ReturnType<typeof start>>

async function pauseOf({ app }: Started, destination: string) {
  const [row] = await app.db.query<{ seconds: number; refusals: number }>(sql`
    select extract(epoch from paused_until - refused_at)::int as seconds, refusals
    from destination_pauses where destination = ${destination}`)
  return row
}

describe.each(['CONNECT', 'MAIL', 'RCPT', 'DATA', 'MESSAGE'])('an address that is refused at %s', (step) => {
  test('makes mail wait, and bounces nobody', async () => {
    const started = await start(step)
    const { app, acme, server, domain, mx, send } = started
    const id = await send(`ada@${domain}`)
    await app.deliverDue()
    const second = await send(`bob@${domain}`)
    await app.deliverDue()

    const isOfDestination = step === 'CONNECT' || step === 'MAIL'
    expect(await pauseOf(started, isOfDestination ? mx : `@${domain}`)).toEqual({ seconds: 900, refusals: 1 })
    const first = await readEmail(acme, id)
    expect(first).toMatchObject({ last_event: 'delivery_delayed', states: { [`ada@${domain}`]: 'waiting' } })
    expect(first.deliveries[0].replies[0].reply).toContain('blocked using zen.spamhaus.org')
    // Nobody was asked about the second, and it says why.
    expect(server.connections.total).toBe(1)
    expect((await readEmail(acme, second)).deliveries[0].replies[0].reply).toMatch(
      /^451 4\.7\.1 Paused until .*spamhaus/,
    )
    expect((await acme.get('/suppressions')).body.data).toEqual([])
  })
})

test('each pause is longer than the one before, and mail that is taken ends it', async () => {
  const started = await start('RCPT')
  const { app, acme, server, domain, send } = started
  const id = await send(`ada@${domain}`)
  const pauses: number[] = []
  for (let round = 0; round < 4; round++) {
    await app.deliverDue()
    pauses.push((await pauseOf(started, `@${domain}`))!.seconds)
    app.clock.advance(pauses.at(-1)! + 1)
  }
  expect(pauses).toEqual([900, 3_600, 14_400, 14_400])

  server.react(() => undefined)
  await app.deliverDue()
  expect((await readEmail(acme, id)).last_event).toBe('delivered')
  await expect.poll(() => pauseOf(started, `@${domain}`)).toBe(undefined)
})

test('after 72 hours it is a bounce, and still no bad address', async () => {
  const { app, acme, domain, send } = await start('RCPT')
  const id = await send(`ada@${domain}`)
  await app.deliverDue()
  app.clock.advance(72 * 3_600 - 60)
  await app.deliverDue()
  const before = await readEmail(acme, id)
  app.clock.advance(120)
  await app.deliverDue()

  expect(before.last_event).toBe('delivery_delayed')
  const email = await readEmail(acme, id)
  expect(email.last_event).toBe('bounced')
  expect(email.events.at(-1).data.bounce).toMatchObject({ type: 'Transient', subType: 'General' })
  expect((await acme.get('/suppressions')).body.data).toEqual([])
})

test('what one domain’s own rules say keeps no other domain at the same servers waiting', async () => {
  const { app, acme, server, domain, other, send } = await start('NEVER')
  server.react(({ step, line }) => (step === 'RCPT' && line.includes(domain) ? BLOCKED : undefined))
  await send(`ada@${domain}`)
  await app.deliverDue()
  const id = await send(`bob@${other}`)
  await app.deliverDue()

  expect((await readEmail(acme, id)).last_event).toBe('delivered')
})

test('other nodes know of it, and those that start', async () => {
  const { app, domain, send } = await start('RCPT')
  await send(`ada@${domain}`)
  await app.deliverDue()

  const elsewhere = new Pauses(app.db, readableLog().log)
  const ignore = await elsewhere.follow()
  ignore()

  const pause = elsewhere.findForAll(`@${domain}`, sourceIdentity({}))
  expect(pause).toMatchObject({ kind: 'source', refusals: 1, reply: expect.stringContaining('spamhaus') })
  expect(elsewhere.list()).toContainEqual(pause)
  expect(await app.metrics.render()).toMatch(/^postwren_destinations_paused [1-9]/m)
})

test('a recipient that does not exist is bounced as ever', async () => {
  const started = await start('RCPT', '550 5.1.1 No such user')
  const { app, acme, domain, send } = started
  const id = await send(`ada@${domain}`)
  await app.deliverDue()

  expect((await readEmail(acme, id)).last_event).toBe('bounced')
  expect(await pauseOf(started, `@${domain}`)).toBe(undefined)
})
