import { describe, expect, test } from 'vitest'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import { makeGate } from '../../../../../test/harness/gate.ts'
import { newId } from '../../../../../test/harness/ids.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import type { Outcome } from '../../../../mail/outcome.ts'
import type { DestinationResolver } from '../transport/destination-resolvers.ts'
import type { Sender } from '../transport/sender.ts'
import { isTooLarge, MailMemory, type Sizes, weightOf } from './weight.ts'

const MEGABYTE = 1_048_576
const DELIVERED: Outcome = { kind: 'delivered', reply: '250 2.0.0 Ok' }
const NOTHING: Sizes = { head: 500, html: 0, text: 0, attachments: 0, attachmentRows: 0, variables: 0, submitted: 0 }

/** A worker with the least memory that it may have, and a network that is as slow as the test wants it. */
async function start() {
  const gate = makeGate()
  const sending = new Set<string>()
  const sent: { to: string; bytes: number }[] = []
  let peak = 0
  const router: DestinationResolver = {
    resolve: async (domain) => ({ kind: 'found', destination: { name: domain, hosts: [] } }),
  }
  const sender: Sender = {
    async send({ name }, { to }, message) {
      sending.add(to[0]!)
      peak = Math.max(peak, [...sending].filter((address) => address.startsWith('large')).length)
      if (name === 'slow.dev') await gate.opened
      sending.delete(to[0]!)
      sent.push({ to: to[0]!, bytes: message.length })
      return to.map(() => DELIVERED)
    },
    pausedUntil: () => null,
    close: async () => {},
  }
  const settings = { POSTWREN_DELIVERY: 'direct', POSTWREN_DELIVERY_MEMORY_MB: '64' }
  const { app, acme } = await startAcme(settings, { router, sender })
  await emptyLedger(app)
  const domain = `d-${newId()}.dev`
  await addVerifiedDomain(app, acme, domain)
  const send = (fields: object) => sendEmail(acme, { from: `a@${domain}`, text: '', ...fields })
  return { app, acme, gate, sent, send, peak: () => peak }
}

/** Makes the html of an email this large behind its back. */
const enlarge = (app: Awaited<ReturnType<typeof start>>['app'], id: string, megabytes: number) =>
  app.db.query(
    sql`update email_bodies set html = repeat('<p>x</p>', ${(megabytes * MEGABYTE) / 8}) where email_id = ${id}`,
  )

test('large mail waits for its turn, and small mail does not wait behind it', async () => {
  const { app, acme, gate, sent, send, peak } = await start()
  const large: string[] = []
  for (let n = 0; n < 6; n++) large.push(await send({ to: `large${n}@slow.dev` }))
  for (const id of large) await enlarge(app, id, 4)
  await app.delivery.start()
  const small = await send({ to: 'small@quick.dev' })

  await app.until(async () => expect((await readEmail(acme, small)).last_event).toBe('delivered'), 20_000)
  const before = sent.map(({ to }) => to)
  gate.open()
  for (const id of large)
    await app.until(async () => expect((await readEmail(acme, id)).last_event).toBe('delivered'), 20_000)
  await app.delivery.stop(5_000)

  expect(before).toEqual(['small@quick.dev'])
  // Once built, one of 4 MB has three copies of 4.2 MB at most, in the half of 64 MB.
  expect(peak()).toBeLessThanOrEqual(2)
  expect(sent.filter(({ bytes }) => bytes > 4 * MEGABYTE)).toHaveLength(6)
})

test('when much that is large waits already, more of it comes back later, untried', async () => {
  const { app, acme, gate, send } = await start()
  const ids: string[] = []
  for (let n = 0; n < 30; n++) ids.push(await send({ to: `large${n}@slow.dev` }))
  for (const id of ids) await enlarge(app, id, 2)
  await app.delivery.start()

  const count = async (condition: Sql) =>
    (await app.db.query(sql`select from deliveries where team_id = ${acme.team} and ${condition}`)).length
  const isPostponed = sql`state = 'waiting' and holder is null and attempts = 0 and due_at > ${app.clock.now()}`
  await app.until(async () => expect(await count(isPostponed)).toBeGreaterThanOrEqual(5), 20_000)
  gate.open()
  await app.until(async () => expect(await count(sql`holder is not null`)).toBe(0), 60_000)
  await app.delivery.stop(5_000)
  app.clock.advance(30)
  await app.deliverDue()

  expect(await count(sql`state = 'delivered' and attempts = 1`)).toBe(30)
})

describe('what cannot be sent fails with the reason', () => {
  test.each([
    ['html of 60 MB', sql`update email_bodies set html = repeat('x', ${60 * MEGABYTE})`, sql`email_id`],
    [
      'headers of 20 MB',
      sql`update emails set headers = jsonb_build_array(jsonb_build_object('name', 'X-A', 'value', repeat('x', ${20 * MEGABYTE})))`,
      sql`id`,
    ],
    [
      'a million recipients in its header',
      sql`update emails set "to" = (select jsonb_agg('a@b.dev'::text) from generate_series(1, 1000000))`,
      sql`id`,
    ],
    ['a subject of 20 MB', sql`update emails set subject = repeat('x', ${20 * MEGABYTE})`, sql`id`],
  ])('%s', async (_, change, id) => {
    const { app, acme, sent, send } = await start()
    const email = await send({ to: 'ada@quick.dev' })
    await app.db.query(sql`${change} where ${id} = ${email}`)

    await app.deliverDue()

    const [row] = await app.db.query<{ state: string; replies: object[] }>(sql`
      select state, replies from deliveries where email_id = ${email}`)
    expect(row).toMatchObject({ state: 'failed', replies: [{ reply: expect.stringContaining('larger than 50 MB') }] })
    const events = await acme.events()
    expect(events.at(-1)).toMatchObject({
      type: 'email.failed',
      data: { to: ['ada@quick.dev'], failed: { reason: expect.stringContaining('larger than 50 MB') } },
    })
    expect(JSON.stringify(events.at(-1)).length).toBeLessThan(10_000)
    expect(sent).toEqual([])
  })

  test('a copy whose values would make it too large', async () => {
    const broadcast = { id: '', team: '', isCanceled: false, isPaused: false, bytes: MEGABYTE, placeholders: 10_000 }

    expect(isTooLarge({ sizes: { ...NOTHING, variables: 100 }, broadcast })).toBe(false)
    expect(isTooLarge({ sizes: { ...NOTHING, variables: 10_000 }, broadcast })).toBe(true)
  })
})

test('headers beyond 16 kB leave with the mail, and events do without them', async () => {
  const { app, acme, sent, send } = await start()
  const email = await send({ to: 'ada@quick.dev' })
  const headers = Array.from({ length: 40 }, (_, n) => ({ name: `X-${n}`, value: 'x'.repeat(900) }))
  await app.db.query(sql`update emails set headers = ${JSON.stringify(headers)} where id = ${email}`)

  await app.deliverDue()

  expect(sent[0]!.bytes).toBeGreaterThan(36_000)
  const last = (await acme.events()).at(-1)!
  expect([last.type, last.data.headers]).toEqual(['email.delivered', undefined])
})

test('a password reset does not wait for memory that a newsletter has taken', async () => {
  const memory = new MailMemory(64 * MEGABYTE)
  const gate = makeGate()
  const weight = weightOf({ sizes: { ...NOTHING, html: 100_000 }, broadcast: null }, { isTracked: false })
  const copies = Array.from({ length: 100 }, () => memory.run(weight, () => gate.opened, { isLowPriority: true }))

  const reset = await memory.run(weight, async () => 'left', { isLowPriority: false })

  expect(reset).toBe('left')
  expect(memory.used).toBeLessThanOrEqual(16 * MEGABYTE)
  gate.open()
  await Promise.all(copies)
})
