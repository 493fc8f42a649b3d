import { expect, test } from 'vitest'
import type { App } from '../../../../test/harness/app.ts'
import { readEmail } from '../../../../test/harness/emails.ts'
import { startStage } from '../../../../test/harness/staged.ts'

const MINUTE = 60

async function later(app: App, seconds: number) {
  app.clock.advance(seconds)
  await app.deliverDue()
}

const repliesOf = (email: Awaited<ReturnType<typeof readEmail>>) =>
  email.deliveries[0].replies.map(({ reply }: { reply: string }) => reply) as string[]

test('a reply is read as if a server had said it', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.setScenario({
    rules: [
      { match: { to: 'gone@*' }, outcome: { reply: '550 5.1.1 no such user' } },
      { match: { to: 'full@*' }, outcome: { reply: '552 5.2.2 mailbox full' } },
      { match: { to: 'busy@*' }, outcome: { reply: '451 4.3.0 try later' } },
      { match: { to: 'yes@*' }, outcome: { reply: '250 2.6.0 queued as 42' } },
    ],
  })
  const to = ['gone', 'full', 'busy', 'yes', 'other'].map((name) => `${name}@example.com`)
  const id = await box.mail({ to })

  await app.deliverDue()

  const email = await readEmail(box, id)
  expect(email.states).toEqual({
    'gone@example.com': 'bounced',
    'full@example.com': 'bounced',
    'busy@example.com': 'waiting',
    'yes@example.com': 'delivered',
    'other@example.com': 'delivered',
  })
  expect(email.deliveries.map(({ replies }: { replies: { reply: string }[] }) => replies[0]!.reply)).toEqual([
    '550 5.1.1 no such user',
    '552 5.2.2 mailbox full',
    '451 4.3.0 try later',
    '250 2.6.0 queued as 42',
    '250 2.0.0 kept in the sandbox',
  ])
  const bounces = email.events.filter(({ type }: { type: string }) => type === 'email.bounced')
  expect(bounces.map(({ data }: { data: { bounce: { type: string } } }) => data.bounce.type)).toEqual([
    'Permanent',
    'Transient',
  ])
  expect((await box.get('/suppressions')).body.data).toMatchObject([{ email: 'gone@example.com', origin: 'bounce' }])
})

test('attempts are told apart, so that mail is refused and then taken', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.setScenario({
    rules: [
      { match: { attempt: { at_most: 1 } }, outcome: { connection_lost: 'before_data' } },
      { match: { attempt: { at_least: 2, at_most: 2 } }, outcome: { connection_lost: 'after_data' } },
    ],
  })
  const id = await box.mail()

  await app.deliverDue()
  await later(app, MINUTE)
  await later(app, 5 * MINUTE)

  const email = await readEmail(box, id)
  expect(email.timeline).toEqual(['sent', 'delivery_delayed', 'delivered'])
  expect(repliesOf(email)).toEqual([
    '451 4.4.2 mx.example.com (192.0.2.25): the connection was cut',
    '451 4.4.2 mx.example.com (192.0.2.25): the connection was cut after the message had been sent; whether it arrived is not known',
    '250 2.0.0 kept in the sandbox',
  ])
})

test('greylisted mail is taken at the attempt after those that were put off', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.setScenario({ rules: [{ outcome: { greylisted: 2 } }] })
  const id = await box.mail()

  await app.deliverDue()
  await later(app, MINUTE)
  expect((await readEmail(box, id)).states).toEqual({ 'ada@example.com': 'waiting' })
  await later(app, 5 * MINUTE)

  const email = await readEmail(box, id)
  expect(email.last_event).toBe('delivered')
  expect(repliesOf(email).slice(0, 2)).toEqual(Array(2).fill('451 4.7.1 Greylisted, please try again later'))
})

test('delayed mail is taken after its time to the second, and not before', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.setScenario({ rules: [{ outcome: { delayed: '20 seconds' } }] })
  const id = await box.mail()

  await app.deliverDue()
  await later(app, 19)
  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'delivery_delayed'])
  await later(app, 1)

  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'delivery_delayed', 'delivered'])
})

test('what is delayed for longer than anybody tries has bounced', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.setScenario({ rules: [{ outcome: { delayed: '4 days' } }] })
  const id = await box.mail()

  await app.deliverDue()

  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'bounced'])
})

test('rules find mail by recipient, domain, sender, subject and tag, and the first that fits counts', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const reply = (text: string) => ({ reply: `250 ${text}` })
  await box.setScenario({
    rules: [
      { match: { tag: 'kind:reset', domain: 'example.com' }, outcome: reply('tag and domain') },
      { match: { tag: 'kind' }, outcome: reply('tag') },
      { match: { subject: 'your * code' }, outcome: reply('subject') },
      { match: { from: `billing@${box.domain}` }, outcome: reply('from') },
      { match: { to: 'Ada@Example.com' }, outcome: reply('to') },
      { match: { domain: '*.example.org' }, outcome: reply('domain') },
    ],
  })
  const found = async (fields: object) => {
    const id = await box.mail(fields)
    await app.deliverDue()
    return repliesOf(await readEmail(box, id))[0]
  }

  expect(await found({ tags: [{ name: 'kind', value: 'reset' }] })).toBe('250 tag and domain')
  expect(await found({ tags: [{ name: 'kind', value: 'reset' }], to: 'a@example.net' })).toBe('250 tag')
  expect(await found({ subject: 'Hello, Your 6-digit CODE is here' })).toBe('250 subject')
  expect(await found({ from: `Billing <billing@${box.domain}>` })).toBe('250 from')
  expect(await found({ to: 'Ada Lovelace <ada@example.com>' })).toBe('250 to')
  expect(await found({ to: 'bob@mail.example.org' })).toBe('250 domain')
  expect(await found({ to: 'bob@example.org' })).toBe('250 2.0.0 kept in the sandbox')
})

test('the nth is counted in the order of acceptance, and a new scenario counts anew', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const scenario = { rules: [{ match: { domain: 'example.com', nth: 3 }, outcome: { reply: '550 5.1.1 third' } }] }
  await box.setScenario(scenario)
  const ids = [
    await box.mail({ to: 'a@example.com' }),
    await box.mail({ to: ['x@example.org', 'b@example.com'] }),
    await box.mail({ to: ['y@example.org', 'c@example.com', 'd@example.com'] }),
  ]

  await app.deliverDue()
  const states = await Promise.all(ids.map(async (id) => (await readEmail(box, id)).states))
  await box.setScenario(scenario)
  const again = [await box.mail({ to: 'e@example.com' }), await box.mail({ to: ['f@example.com', 'g@example.com'] })]
  await app.deliverDue()

  const bounced = (all: readonly Record<string, string>[]) =>
    all.flatMap((one) => Object.entries(one).flatMap(([to, state]) => (state === 'bounced' ? [to] : [])))
  expect(bounced(states)).toEqual(['c@example.com'])
  expect(bounced(await Promise.all(again.map(async (id) => (await readEmail(box, id)).states)))).toEqual([
    'g@example.com',
  ])
})

test('mail that waits when the scenario is set counts, in the order in which it was accepted', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const at = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1_000).toISOString()
  const [first, second] = [await box.mail({ scheduled_at: at(600) }), await box.mail({ scheduled_at: at(300) })]
  await box.setScenario({ rules: [{ match: { nth: 1 }, outcome: { reply: '550 5.7.1 no' } }] })

  await later(app, 301)
  await later(app, 300)

  expect((await readEmail(box, second)).last_event).toBe('delivered')
  expect((await readEmail(box, first)).last_event).toBe('bounced')
})
