import { describe, expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { silence } from '../../../../../test/harness/mail-conversation.ts'
import type { MailServer } from '../../../../../test/harness/mail-server.ts'
import { sql } from '../../../../kernel/db/sql.ts'

/** The server takes messages for this domain and never says that it has them, until it is told to. */
function hangAfterTheDot(server: MailServer, domain: string) {
  const hanging = new Set<number>()
  server.react(({ step, line, connection }) => {
    if (step === 'RCPT' && line.includes(`@${domain}`)) hanging.add(connection)
    return step === 'MESSAGE' && hanging.has(connection) ? silence : undefined
  })
}

const arrivedAt = (server: MailServer, address: string) => () => server.messages.some(({ to }) => to.includes(address))

describe('an email to several domains', () => {
  const DOMAINS = ['one.dev', 'two.dev', 'three.dev', 'four.dev', 'hangs.dev']

  test('is settled for each of them as its answer is heard', async () => {
    const { app, acme, dns, server, from } = await startDirect()
    for (const domain of DOMAINS) dns.set(domain, { A: ['127.0.0.1'] })
    hangAfterTheDot(server, 'hangs.dev')

    const id = await sendEmail(acme, { from, to: DOMAINS.map((domain) => `ada@${domain}`) })
    await app.delivery.start()
    await server.until(() => server.seen.length === 5)
    await app.until(async () => (await readEmail(acme, id)).timeline.length > 1)
    const before = await untilDelivered(app, acme, id, 4)
    await app.delivery.stop(100)

    expect(before['ada@hangs.dev']).toBe('waiting')
    expect(server.seen).toHaveLength(5)
    expect((await readEmail(acme, id)).states).toEqual(before)
    expect(await heldRows(app)).toBe(0)
  })

  test('does not wait for the one whose name servers are silent', async () => {
    const { app, acme, dns, server, from } = await startDirect()
    for (const domain of DOMAINS) dns.set(domain, { A: ['127.0.0.1'] })
    dns.fault('hangs.dev', 'silence')

    await sendEmail(acme, { from, to: ['ada@hangs.dev', 'ada@one.dev', 'ada@two.dev'] })
    let isOver = false
    const delivered = app.deliverDue().then(() => {
      isOver = true
    })
    await server.until(() => arrivedAt(server, 'ada@one.dev')() && arrivedAt(server, 'ada@two.dev')())
    const wasOver = isOver
    await delivered

    expect(wasOver).toBe(false)
  })
})

describe('a destination that hangs', () => {
  test('has a few slots, everything else for it stays in the ledger, and others do not wait', async () => {
    const { app, acme, dns, server, from } = await startDirect()
    dns.set('hangs.dev', { A: ['127.0.0.1'] })
    dns.set('quick.dev', { A: ['127.0.0.1'] })
    hangAfterTheDot(server, 'hangs.dev')
    const batch = (number: number) =>
      Array.from({ length: 100 }, (_, index) => ({
        from,
        to: `u${number}-${index}@hangs.dev`,
        subject: 'x',
        text: 'x',
      }))
    for (let number = 0; number < 3; number++) await acme.post('/emails/batch', batch(number))

    await app.delivery.start()
    await server.until(() => server.seen.length >= 5)
    await sendEmail(acme, { from, to: 'reset@quick.dev' })
    await server.until(arrivedAt(server, 'reset@quick.dev'))
    await app.until(async () => (await parkedRows(app)) >= 274)

    const held = await heldRows(app)
    await app.delivery.stop(0)

    // And the quick one, should it not be written down yet.
    expect(held).toBeLessThanOrEqual(26)
    expect(server.seen.filter(({ to }) => to[0]!.endsWith('@hangs.dev'))).toHaveLength(5)
  })

  test('gets all its mail, in turn and without waiting, once it answers', async () => {
    const { app, acme, dns, server, from } = await startDirect()
    dns.set('well.dev', { A: ['127.0.0.1'] })
    const batch = Array.from({ length: 100 }, (_, index) => ({
      from,
      to: `u${index}@well.dev`,
      subject: 'x',
      text: 'x',
    }))
    for (const _ of [1, 2, 3]) await acme.post('/emails/batch', batch)

    await app.delivery.start()
    await server.received(300)
    await app.until(async () => (await heldRows(app)) === 0)

    expect(server.connections.peak).toBeLessThanOrEqual(5)
    expect(await parkedRows(app)).toBe(0)
    expect(server.messages).toHaveLength(300)
  })
})

test('domains with the same mail server share what it may be asked', async () => {
  const { app, acme, dns, server, from } = await startDirect()
  const domains = Array.from({ length: 12 }, (_, index) => `d${index}.dev`)
  for (const domain of domains) dns.set(domain, { MX: [{ exchange: 'mx.host.dev', preference: 10 }] })
  dns.set('mx.host.dev', { A: ['127.0.0.1'] })

  const id = await sendEmail(acme, { from, to: domains.map((domain) => `ada@${domain}`) })
  await app.deliverDue()

  expect(Object.values((await readEmail(acme, id)).states)).toEqual(domains.map(() => 'delivered'))
  expect(server.connections.peak).toBeLessThanOrEqual(5)
  // Many servers refuse recipients of several domains in one message.
  expect(server.messages.every(({ to }) => to.length === 1)).toBe(true)
})

type Started = Awaited<ReturnType<typeof startDirect>>

async function untilDelivered(app: Started['app'], acme: Started['acme'], id: string, count: number) {
  let states: Record<string, string> = {}
  await app.until(async () => {
    states = (await readEmail(acme, id)).states
    return Object.values(states).filter((state) => state === 'delivered').length === count
  })
  return states
}

async function countRows({ db }: Started['app'], condition: ReturnType<typeof sql>): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from deliveries where ${condition}`)
  return row!.count
}

const heldRows = (app: Started['app']) => countRows(app, sql`holder is not null`)
const parkedRows = (app: Started['app']) => countRows(app, sql`parked_for is not null`)
