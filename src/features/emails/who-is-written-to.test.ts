import { describe, expect, test } from 'vitest'
import { readEmail, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { scriptedTransport } from '../../../test/harness/transport.ts'

interface EmailEvent {
  readonly type: string
  readonly data: { readonly to: readonly string[] } & Record<string, unknown>
}

/** Starts with an outside world that remembers who was written to. */
async function start() {
  const world = scriptedTransport()
  return { world, ...(await startAcme({}, { transport: world.transport })) }
}

describe('mail about a topic', () => {
  test('goes to everybody who did not opt out, when that is the default of the topic', async () => {
    const { app, acme, world } = await start()
    const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })
    const choose = (email: string, subscription: string) =>
      acme.post('/contacts', { email, topics: [{ id: topic.id, subscription }] })
    await choose('out@example.com', 'opt_out')
    await choose('in@example.com', 'opt_in')
    await acme.post('/contacts', { email: 'undecided@example.com' })

    const to = ['OUT@example.com', 'in@example.com', 'undecided@example.com', 'stranger@example.com']
    const id = await sendEmail(acme, { to, topic_id: topic.id })
    await app.deliverDue()

    const email = await readEmail(acme, id)
    expect(email.topic_id).toBe(topic.id)
    expect(email.states).toEqual({
      'OUT@example.com': 'failed',
      'in@example.com': 'delivered',
      'undecided@example.com': 'delivered',
      'stranger@example.com': 'delivered',
    })
    expect(world.attemptsAt('OUT@example.com')).toBe(0)
    expect(email.events.find(({ type }: EmailEvent) => type === 'email.failed').data).toMatchObject({
      to: ['OUT@example.com'],
      failed: { reason: 'The recipient is not subscribed to the topic.' },
    })
  })

  test('goes only to those who opted in, when the topic asks for that', async () => {
    const { app, acme } = await start()
    const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_out' })
    await acme.post('/contacts', { email: 'in@example.com', topics: [{ id: topic.id, subscription: 'opt_in' }] })
    await acme.post('/contacts', { email: 'undecided@example.com' })

    const to = ['in@example.com', 'undecided@example.com', 'stranger@example.com']
    const id = await sendEmail(acme, { to, topic_id: topic.id })
    await app.deliverDue()

    expect((await readEmail(acme, id)).states).toEqual({
      'in@example.com': 'delivered',
      'undecided@example.com': 'failed',
      'stranger@example.com': 'failed',
    })
  })

  test('ends as failed when nobody wants it, and choices of other teams mean nothing', async () => {
    const { app, acme } = await start()
    const globex = await app.as('globex')
    const { body: topic } = await acme.post('/topics', { name: 'News', default_subscription: 'opt_in' })
    const { body: theirs } = await globex.post('/topics', { name: 'News', default_subscription: 'opt_in' })
    await acme.post('/contacts', { email: 'ada@example.com', topics: [{ id: topic.id, subscription: 'opt_out' }] })

    const ours = await sendEmail(acme, { topic_id: topic.id })
    const others = await sendEmail(globex, { topic_id: theirs.id })
    await app.deliverDue()

    expect((await readEmail(acme, ours)).last_event).toBe('failed')
    expect((await readEmail(globex, others)).last_event).toBe('delivered')
  })
})

describe('a suppressed recipient', () => {
  test('is not written to, by no team that has it on its list', async () => {
    const { app, acme, world } = await start()
    const globex = await app.as('globex')
    await acme.post('/suppressions', { email: 'Gone@example.com' })

    const id = await sendEmail(acme, { to: ['gone@EXAMPLE.com', 'ada@example.com'] })
    await app.deliverDue()
    const triedByUs = world.attemptsAt('gone@EXAMPLE.com')
    const theirs = await sendEmail(globex, { to: 'gone@example.com' })
    await app.deliverDue()

    const email = await readEmail(acme, id)
    expect(triedByUs).toBe(0)
    expect(email.states).toEqual({ 'gone@EXAMPLE.com': 'suppressed', 'ada@example.com': 'delivered' })
    expect(email.events.find(({ type }: EmailEvent) => type === 'email.suppressed').data).toMatchObject({
      to: ['gone@EXAMPLE.com'],
      suppressed: {
        message: 'The recipient is on the suppression list.',
        type: 'OnAccountSuppressionList',
        diagnosticCode: [],
      },
    })
    expect((await readEmail(globex, theirs)).last_event).toBe('delivered')
  })

  test('is looked up when the mail goes out, not when it was accepted', async () => {
    const { app, acme } = await start()
    const id = await sendEmail(acme, { to: 'gone@example.com', scheduled_at: 'in 1 hour' })

    await acme.post('/suppressions', { email: 'gone@example.com' })
    app.clock.advance(3_600)
    await app.deliverDue()

    expect((await readEmail(acme, id)).last_event).toBe('suppressed')
  })
})

describe('test addresses', () => {
  test('behave as they are called, with or without a label, and nobody is asked', async () => {
    const { app, acme, world } = await start()
    const outcomes: Record<string, string> = {}
    const names = ['delivered', 'delivered+a', 'bounced+x.y', 'BOUNCED', 'complained+1', 'suppressed', 'suppressed+b']

    for (const name of names) {
      const id = await sendEmail(acme, { to: `${name}@resend.dev` })
      await app.deliverDue()
      outcomes[name] = (await readEmail(acme, id)).timeline.join()
    }

    expect(outcomes).toEqual({
      delivered: 'sent,delivered',
      'delivered+a': 'sent,delivered',
      'bounced+x.y': 'sent,bounced',
      BOUNCED: 'sent,bounced',
      'complained+1': 'sent,delivered,complained',
      suppressed: 'sent,suppressed',
      'suppressed+b': 'sent,suppressed',
    })
    expect(world.sent).toEqual([])
    expect((await acme.get('/suppressions')).body.data).toEqual([])
  })

  test('are no others than these', async () => {
    const { app, acme, world } = await start()

    await sendEmail(acme, { to: ['bounced@resend.dev.example.com', 'x-bounced@resend.dev', 'bouncedx@resend.dev'] })
    await app.deliverDue()

    expect(world.sent).toHaveLength(3)
  })

  test('bounce like a mailbox that does not exist', async () => {
    const { app, acme } = await start()

    const id = await sendEmail(acme, { to: 'bounced@resend.dev' })
    await app.deliverDue()

    expect((await readEmail(acme, id)).events[1].data.bounce).toMatchObject({
      type: 'Permanent',
      message: expect.stringContaining('550 5.1.1'),
      diagnosticCode: [expect.stringMatching(/^smtp; 550 5\.1\.1/)],
    })
  })
})

test('a blind copy is in no event of anybody else', async () => {
  const { app, acme } = await start()
  const fields = {
    to: ['ada@example.com', 'Eve <EVE@example.com>'],
    cc: ['bob@example.com'],
    bcc: ['Blind One <one@example.com>', 'two@example.com', 'eve@example.com'],
  }

  const id = await sendEmail(acme, fields)
  await app.deliverDue()

  const { events, states } = await readEmail(acme, id)
  expect(events.map(({ type, data }: EmailEvent) => [type, data.to.map((address) => address.toLowerCase())])).toEqual([
    ['email.sent', ['ada@example.com', 'eve <eve@example.com>']],
    ['email.delivered', ['ada@example.com', 'eve@example.com', 'bob@example.com']],
    ['email.delivered', ['one@example.com']],
    ['email.delivered', ['two@example.com']],
  ])
  expect(Object.keys(states)).toHaveLength(5)
})
