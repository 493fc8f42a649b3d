import { describe, expect, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { openBackend } from '../../../../test/harness/backends.ts'
import { emptyLedger, readEmail, SIMPLE, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { DELIVERED, NO_SUCH_USER, scriptedTransport } from '../../../../test/harness/transport.ts'
import { sql } from '../../../kernel/db/sql.ts'

/** Nothing in the ledger, and an outside world that remembers who was written to. */
async function start() {
  const world = scriptedTransport()
  const { app, acme } = await startAcme({}, { transport: world.transport })
  await emptyLedger(app)
  return { app, acme, world }
}

const addresses = (count: number, name = 'user') => Array.from({ length: count }, (_, n) => `${name}${n}@example.com`)

/** Resolves as soon as the transport has been called. */
function signal() {
  let fire = () => {}
  const fired = new Promise<void>((resolve) => {
    fire = resolve
  })
  return { fire, fired }
}

describe('two workers on one database', () => {
  test('write to every recipient once, and tell the outside once', async () => {
    const { app, acme, world } = await start()
    const other = await startApp({}, { transport: world.transport })
    world.answer((recipient) => (recipient.startsWith('gone') ? NO_SUCH_USER : DELIVERED))
    const batch = Array.from({ length: 40 }, (_, n) => ({
      ...SIMPLE,
      to: [...addresses(10, `to${n}-`), ...addresses(3, 'gone')],
      bcc: addresses(2, `bcc${n}-`),
    }))
    const { body } = await acme.post('/emails/batch', batch)

    await Promise.all([app.deliverDue(), other.deliverDue()])

    const once = new Set(world.sent.map(({ email, recipient }) => `${email} ${recipient}`))
    const suppressedLater = 40 * 3 - world.sent.filter(({ recipient }) => recipient.startsWith('gone')).length
    expect(world.sent).toHaveLength(once.size)
    expect(once.size).toBe(40 * 15 - suppressedLater)
    for (const { id } of body.data) {
      const { states, events } = await readEmail(acme, id)
      expect(Object.values(states)).not.toContain('waiting')
      const told = events.slice(1).flatMap(({ data }: { data: { to: string[] } }) => data.to)
      expect(told.sort()).toEqual(Object.keys(states).sort())
    }
    expect((await acme.events()).filter(({ type }) => type === 'suppression.added')).toHaveLength(3)
  })

  test('that take up recipients of one scheduled email begin it once', async () => {
    const { app, acme, world } = await start()
    const other = await startApp({}, { transport: world.transport })
    const backend = await openBackend()
    const id = await sendEmail(acme, {
      to: addresses(50, 'to'),
      cc: addresses(50, 'cc'),
      bcc: addresses(50, 'bcc'),
      scheduled_at: 'in 1 hour',
    })
    for (const { clock } of [app, other]) clock.advance(3_600)

    // Both have loaded the email as one that nobody has begun when the first of them may write that it has.
    await backend.hold('lock table outbox in share mode')
    const delivered = Promise.all([app.deliverDue(), other.deliverDue()])
    await backend.waiters(2)
    await backend.release()
    await delivered

    const { timeline } = await readEmail(acme, id)
    // Whichever began it: their clocks are not the same, so what was delivered may stand anywhere.
    expect(timeline.filter((type: string) => type !== 'delivered')).toEqual(['scheduled', 'sent'])
    expect(world.sent).toHaveLength(150)
  })

  test('that stand in each other’s way try again, and nobody is written to again', async () => {
    const { app, acme, world } = await start()
    const backend = await openBackend()
    const id = await sendEmail(acme)

    await backend.hold('select from emails where team_id = $1 for update', [acme.team])
    const delivered = app.deliverDue()
    await backend.waiters()
    await backend.wantToo('select from deliveries where team_id = $1 for update', [acme.team])
    await backend.release()
    await delivered

    expect(world.sent).toHaveLength(1)
    expect((await readEmail(acme, id)).last_event).toBe('delivered')
  })
})

describe('a database that goes away', () => {
  const ROW = 'select from deliveries where team_id = $1 for update'

  test('while an answer is written down is waited for, and nobody is written to again', async () => {
    const { app, acme, world } = await start()
    const backend = await openBackend()
    const id = await sendEmail(acme)
    world.answer(async () => {
      await backend.hold(ROW, [acme.team])
      return DELIVERED
    })

    const delivered = app.deliverDue()
    for (let n = 0; n < 3; n++) await backend.terminate(await backend.waiters())
    await backend.waiters()
    await backend.release()
    await delivered

    expect(world.sent).toHaveLength(1)
    expect(await readEmail(acme, id)).toMatchObject({ last_event: 'delivered', timeline: ['sent', 'delivered'] })
  })

  test('altogether is waited for as well', async () => {
    const { app, acme, world } = await start()
    const backend = await openBackend()
    const id = await sendEmail(acme, { to: addresses(20) })
    world.answer(async (recipient) => {
      if (recipient === 'user0@example.com') await backend.terminateAll()
      return DELIVERED
    })

    await app.deliverDue()

    expect(world.sent).toHaveLength(20)
    expect(new Set(Object.values((await readEmail(acme, id)).states))).toEqual(new Set(['delivered']))
  })

  test('before the mail was read is waited for: what is claimed is not left', async () => {
    const { app, acme, world } = await start()
    const backend = await openBackend()
    const id = await sendEmail(acme)

    await backend.hold('lock table email_bodies in access exclusive mode')
    const delivered = app.deliverDue()
    await backend.terminate(await backend.waiters())
    await backend.release()
    await delivered

    expect(world.sent).toHaveLength(1)
    expect((await readEmail(acme, id)).last_event).toBe('delivered')
  })
})

describe('mail of a process that is gone', () => {
  const holdFor = (app: App, holder: number) => app.db.query(sql`update deliveries set holder = ${holder}, claims = 1`)

  test('is taken over', async () => {
    const { app, acme, world } = await start()
    const { fire, fired } = signal()
    world.answer(() => {
      fire()
      return DELIVERED
    })
    const id = await sendEmail(acme)
    await holdFor(app, -1)

    await app.delivery.start()
    await fired
    await app.delivery.stop(5_000)

    expect((await readEmail(acme, id)).deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
  })

  test('is not taken from one that lives', async () => {
    const { app, acme, world } = await start()
    const other = await startApp()
    const { fire, fired } = signal()
    world.answer((recipient) => {
      if (recipient === 'dead@example.com') fire()
      return DELIVERED
    })
    const held = await sendEmail(acme)
    await holdFor(app, other.db.presence.node)
    await sendEmail(acme, { to: 'dead@example.com' })
    await app.db.query(sql`update deliveries set holder = -1 where holder is null`)

    await app.delivery.start()
    await fired
    await app.delivery.stop(5_000)

    expect((await readEmail(acme, held)).states).toEqual({ 'ada@example.com': 'waiting' })
  })
})

test('a worker that runs notices new mail, and finishes what it has when it is stopped', async () => {
  const { app, acme, world } = await start()
  const [begun, released] = [signal(), signal()]
  world.answer(async () => {
    begun.fire()
    await released.fired
    return DELIVERED
  })
  await app.delivery.start()

  const id = await sendEmail(acme)
  await begun.fired
  const stopped = app.delivery.stop(10_000)
  // Due a second later: a look at the ledger that was under way cannot find it, one that begins now would.
  app.clock.advance(1)
  const late = await sendEmail(acme)
  released.fire()
  await stopped

  expect((await readEmail(acme, id)).last_event).toBe('delivered')
  expect((await readEmail(acme, late)).last_event).toBe('sent')
})
