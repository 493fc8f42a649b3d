import { describe, expect, test } from 'vitest'
import type { App } from '../../../../../test/harness/app.ts'
import { emptyLedger, readEmail, sendEmail, startAcme } from '../../../../../test/harness/emails.ts'
import {
  DEFERRED,
  DELIVERED,
  MAILBOX_FULL,
  NO_SUCH_USER,
  scriptedTransport,
} from '../../../../../test/harness/transport.ts'
import { claimDue, releaseHeldBy } from '../ledger/queries.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

async function start() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return { app, acme, world }
}

/** Lets time pass, and delivers what is due then. */
async function later(app: App, seconds: number) {
  app.clock.advance(seconds)
  await app.deliverDue()
}

describe('mail that the other side puts off', () => {
  test('is tried again by the retry schedule for three days, and then it has bounced', async () => {
    const { app, acme, world } = await start()
    world.answer(() => DEFERRED)
    const id = await sendEmail(acme)
    const accepted = app.clock.now().getTime()
    const attemptsAt: number[] = []

    for (
      let email = await readEmail(acme, id);
      email.states['ada@example.com'] === 'waiting';
      email = await readEmail(acme, id)
    ) {
      const due = Date.parse(email.deliveries[0].next_attempt_at)
      await later(app, (due - app.clock.now().getTime()) / 1_000 - 1)
      expect(world.sent).toHaveLength(attemptsAt.length)
      await later(app, 1)
      attemptsAt.push((due - accepted) / 1_000)
    }

    const rests = attemptsAt.slice(1).map((at, index) => at - attemptsAt[index]!)
    const first = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR]
    expect(rests).toEqual([...first, ...Array(10).fill(6 * HOUR)])
    expect(attemptsAt.at(-1)).toBeLessThan(72 * HOUR)
    const email = await readEmail(acme, id)
    expect(email.timeline).toEqual(['sent', 'delivery_delayed', 'bounced'])
    expect(email.deliveries[0]).toMatchObject({ state: 'bounced', attempts: 18, next_attempt_at: null })
    expect(email.deliveries[0].replies).toHaveLength(18)
    expect(email.events.at(-1).data.bounce).toEqual({
      message: DEFERRED.kind === 'deferred' && DEFERRED.reply,
      type: 'Transient',
      subType: 'General',
      diagnosticCode: ['smtp; 450 4.2.0 Try later'],
    })
    expect((await acme.get('/suppressions')).body.data).toEqual([])
  })

  test('is delivered when the other side takes it after all', async () => {
    const { app, acme, world } = await start()
    world.answer(() => DEFERRED)
    const id = await sendEmail(acme)
    await app.deliverDue()
    const delayed = await readEmail(acme, id)

    world.answer(() => DELIVERED)
    await later(app, MINUTE)

    expect(delayed).toMatchObject({ last_event: 'delivery_delayed', states: { 'ada@example.com': 'waiting' } })
    const email = await readEmail(acme, id)
    expect(email).toMatchObject({ last_event: 'delivered', timeline: ['sent', 'delivery_delayed', 'delivered'] })
    expect(email.deliveries[0].replies.map(({ reply }: { reply: string }) => reply)).toEqual([
      '450 4.2.0 Try later',
      '250 2.0.0 Ok',
    ])
  })

  test('is called delayed once, also when a worker was lost before the first answer', async () => {
    const { app, acme, world } = await start()
    const id = await sendEmail(acme)
    await claimDue(app.db, { node: -1, now: app.clock.now(), of: [{ priority: 0, limit: 100, since: null }] })
    await releaseHeldBy(app.db, [-1])
    world.answer(() => DEFERRED)

    for (let n = 0; n < 4; n++) await later(app, HOUR)

    const email = await readEmail(acme, id)
    expect(email.timeline).toEqual(['sent', 'delivery_delayed'])
    expect(email.deliveries[0]).toMatchObject({ attempts: 4, replies: { length: 4 } })
  })
})

test('the schedule climbs by answers: mail that was taken over five times waits a minute after its first refusal', async () => {
  const { app, acme, world } = await start()
  const id = await sendEmail(acme)
  for (let n = 0; n < 5; n++) {
    await claimDue(app.db, { node: -1, now: app.clock.now(), of: [{ priority: 0, limit: 100, since: null }] })
    await releaseHeldBy(app.db, [-1])
  }
  world.answer(() => DEFERRED)
  const triedAt = app.clock.now().getTime()

  await app.deliverDue()

  const [delivery] = (await readEmail(acme, id)).deliveries
  expect(delivery).toMatchObject({ attempts: 1 })
  expect((Date.parse(delivery.next_attempt_at) - triedAt) / 1_000).toBe(MINUTE)
})

describe('an address that does not exist', () => {
  test('bounces, and is not written to again', async () => {
    const { app, acme, world } = await start()
    world.answer(() => NO_SUCH_USER)
    const id = await sendEmail(acme, { to: 'Ada <Gone@example.com>' })
    await app.deliverDue()

    const again = await sendEmail(acme, { to: 'gone@example.com' })
    await app.deliverDue()

    const email = await readEmail(acme, id)
    expect(email).toMatchObject({ last_event: 'bounced', timeline: ['sent', 'bounced'] })
    expect(email.events[1].data).toMatchObject({
      to: ['Gone@example.com'],
      bounce: {
        message: '550 5.1.1 No such user',
        type: 'Permanent',
        subType: 'NoEmail',
        diagnosticCode: ['smtp; 550 5.1.1 No such user'],
      },
    })
    expect(email.bounce).toEqual(email.events[1].data.bounce)
    const [suppression] = (await acme.get('/suppressions')).body.data
    expect(suppression).toMatchObject({ email: 'Gone@example.com', origin: 'bounce', source_id: id })
    const added = (await acme.events()).filter(({ type }) => type === 'suppression.added')
    expect(added).toMatchObject([
      { data: { id: suppression.id, email: 'Gone@example.com', origin: 'bounce', source_id: id } },
    ])
    expect((await readEmail(acme, again)).events[1].data.suppressed.reason).toBe('previous_bounce')
    expect(world.sent).toHaveLength(1)
  })

  test('is suppressed once, however many emails find out at the same time', async () => {
    const { app, acme, world } = await start()
    world.answer(() => NO_SUCH_USER)
    const batch = Array.from({ length: 20 }, (_, n) => ({
      from: 'a@acme.dev',
      to: n % 2 ? 'gone@example.com' : 'GONE@example.com',
      subject: 'Hi',
      text: 'Hi',
    }))
    await acme.post('/emails/batch', batch)

    await app.deliverDue()

    expect((await acme.events()).filter(({ type }) => type === 'suppression.added')).toHaveLength(1)
    expect((await acme.events()).filter(({ type }) => type === 'email.bounced')).toHaveLength(20)
  })
})

test('a bounce that is not about the address suppresses nobody', async () => {
  const { app, acme, world } = await start()
  world.answer(() => MAILBOX_FULL)
  const id = await sendEmail(acme)

  await app.deliverDue()

  expect(await readEmail(acme, id)).toMatchObject({ last_event: 'bounced', states: { 'ada@example.com': 'bounced' } })
  expect((await acme.get('/suppressions')).body.data).toEqual([])
})

test('each recipient meets its own fate, and those with the same one share an event', async () => {
  const { app, acme, world } = await start()
  const fates = { yes: DELIVERED, gone: NO_SUCH_USER, full: MAILBOX_FULL, later: DEFERRED }
  world.answer((recipient) => fates[recipient.split(/[0-9]/)[0] as keyof typeof fates])
  const to = ['yes1', 'gone1', 'later1', 'yes2', 'full1', 'later2', 'gone2', 'yes3'].map(
    (name) => `${name}@example.com`,
  )
  const id = await sendEmail(acme, { to })

  await app.deliverDue()
  world.answer(() => DELIVERED)
  await later(app, MINUTE)

  const email = await readEmail(acme, id)
  const told = email.events.map(({ type, data }: { type: string; data: { to: string[] } }) => [
    type.slice('email.'.length),
    data.to.map((address) => address.split('@')[0]).join(),
  ])
  expect(told).toEqual([
    ['sent', 'yes1,gone1,later1,yes2,full1,later2,gone2,yes3'],
    ['delivered', 'yes1,yes2,yes3'],
    ['bounced', 'gone1,gone2'],
    ['delivery_delayed', 'later1,later2'],
    ['bounced', 'full1'],
    ['delivered', 'later1,later2'],
  ])
  expect(email.last_event).toBe('delivered')
  expect(Object.values(email.states).sort()).toEqual([...Array(3).fill('bounced'), ...Array(5).fill('delivered')])
})

test('a transport that breaks loses nothing: the mail is tried again, and not for ever', async () => {
  const { app, acme, world } = await start()
  world.answer(() => {
    throw new Error('the content is missing')
  })
  const id = await sendEmail(acme)

  await app.deliverDue()
  const broken = await readEmail(acme, id)
  app.clock.advance(72 * HOUR)
  await app.deliverDue()

  expect(broken).toMatchObject({ last_event: 'delivery_delayed', states: { 'ada@example.com': 'waiting' } })
  expect(broken.deliveries[0].replies[0].reply).toBe('451 4.3.0 Not tried: the content is missing')
  expect((await readEmail(acme, id)).last_event).toBe('bounced')
})
