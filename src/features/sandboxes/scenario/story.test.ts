import { expect, test } from 'vitest'
import { readEmail, sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { type StagedSandbox, startStage } from '../../../../test/harness/staged.ts'

const SCENARIO = {
  rules: [
    { match: { probability: 0.3 }, outcome: { reply: '451 4.3.0 not now' } },
    { match: { domain: 'example.org', nth: 2 }, outcome: { greylisted: 1 } },
    { match: { probability: 0.2, subject: 'News' }, outcome: { reply: '550 5.7.1 unwanted' } },
    { match: { probability: 0.5 }, outcome: { opened: { after: '30 seconds' }, clicked: { after: '2 minutes' } } },
    { match: { probability: 0.5 }, outcome: { bounced: { after: '3 minutes' } } },
  ],
}

const HOUR = 3_600

/** What happened to each recipient, in order, and when: everything but ids. */
async function storyOf(box: StagedSandbox, began: number): Promise<string[]> {
  const { body } = await box.get('/emails?limit=100')
  const emails = await Promise.all(body.data.map(({ id }: { id: string }) => readEmail(box, id)))
  return emails.reverse().flatMap(({ events }) =>
    events.flatMap(({ type, created_at, data }: { type: string; created_at: string; data: { to: string[] } }) => {
      const seconds = Math.round((Date.parse(created_at.replace(' ', 'T').replace('+00', 'Z')) - began) / 1_000)
      return data.to.map((to) => `${to} ${type} at ${seconds}`)
    }),
  )
}

test('the same seed and calls give the same story, and another seed another one', async () => {
  const { app, settle, sandbox } = await startStage()
  const began = app.clock.now().getTime()
  const boxes = [await sandbox('a seed'), await sandbox('a seed'), await sandbox('another')]
  for (const box of boxes) await box.setScenario(SCENARIO)
  // In a different order for each: what others do at the same time is no part of a story.
  for (let n = 0; n < 6; n++) {
    for (const box of n % 2 ? boxes : boxes.toReversed()) {
      const to = [`a${n}@example.com`, `b${n}@example.org`]
      await box.mail({ to, subject: n % 3 ? 'News' : 'Hello', html: '<a href="https://acme.dev">x</a>' })
    }
  }

  for (const seconds of [0, 30, 90, 60, HOUR]) {
    app.clock.advance(seconds)
    await settle()
  }

  const [first, again, different] = await Promise.all(boxes.map((box) => storyOf(box, began)))
  const kinds = new Set(first!.map((line) => line.split(' ')[1]))
  expect([...kinds].sort()).toEqual(
    ['bounced', 'clicked', 'delivered', 'delivery_delayed', 'opened', 'sent'].map((type) => `email.${type}`),
  )
  expect(again).toEqual(first)
  expect(different).not.toEqual(first)
})

test('a hundred rules are asked about each of many recipients', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  const rules = Array.from({ length: 100 }, (_, n) => ({
    match: { to: `*${n}*x*y*z@*`, subject: 'a*b*c*d', from: '*@*', nth: 900 + n, probability: 0.5 },
    outcome: { reply: '550 no' },
  }))
  await box.setScenario({ rules })
  const to = Array.from({ length: 50 }, (_, n) => `${'ab'.repeat(25)}${n}@example.com`)
  const from = `hello@${box.domain}`
  const batch = Array.from({ length: 10 }, () => ({ from, to, subject: 'ab'.repeat(900), text: 'Hi' }))
  const { status } = await box.post('/emails/batch', batch)
  expect(status).toBe(200)

  // 500 recipients and 50,000 questions, with patterns that would not end if they went back and forth.
  await app.deliverDue()

  expect((await box.events()).filter(({ type }) => type === 'email.delivered')).toHaveLength(10)
})

test('ready-made addresses do what their name says, for every team where nothing leaves', async () => {
  const { app, acme } = await startAcme()
  const names = ['greylisted', 'softbounced', 'delayed', 'opened', 'clicked', 'scanned', 'unsubscribed', 'replied']
  const html = '<a href="https://acme.dev">x</a>'
  const ids = new Map<string, string>()
  for (const name of [...names, 'delivered']) ids.set(name, await sendEmail(acme, { to: `${name}+1@resend.dev`, html }))

  for (const seconds of [0, 1, 60, 600]) {
    app.clock.advance(seconds)
    for (let n = 0; n < 2; n++) {
      await app.deliverDue()
      await app.runDueJobs()
    }
  }

  const timelines = await Promise.all([...ids].map(async ([name, id]) => [name, (await readEmail(acme, id)).timeline]))
  expect(Object.fromEntries(timelines)).toEqual({
    greylisted: ['sent', 'delivery_delayed', 'delivered'],
    softbounced: ['sent', 'bounced'],
    delayed: ['sent', 'delivery_delayed', 'delivered'],
    opened: ['sent', 'delivered', 'opened'],
    clicked: ['sent', 'delivered', 'opened', 'clicked'],
    scanned: ['sent', 'delivered', 'opened', 'clicked'],
    unsubscribed: ['sent', 'delivered', 'unsubscribed'],
    replied: ['sent', 'delivered'],
    delivered: ['sent', 'delivered'],
  })
  expect((await readEmail(acme, ids.get('scanned')!)).last_event).toBe('delivered')
  expect((await acme.get('/emails/receiving')).body.data).toMatchObject([
    { from: 'replied+1@resend.dev', subject: 'Re: Hello', to: ['Acme <hello@acme.dev>'] },
  ])
  expect((await acme.get('/suppressions')).body.data).toEqual([])
})

test('a rule of the sandbox comes before a ready-made address', async () => {
  const { app, sandbox } = await startStage()
  const box = await sandbox()
  await box.setScenario({ rules: [{ match: { domain: 'resend.dev' }, outcome: { reply: '250 2.0.0 by rule' } }] })
  const id = await box.mail({ to: ['softbounced@resend.dev', 'bounced@resend.dev'] })

  await app.deliverDue()

  // The four of the contract stay as they are, whatever rules there are.
  expect((await readEmail(box, id)).states).toEqual({
    'softbounced@resend.dev': 'delivered',
    'bounced@resend.dev': 'bounced',
  })
})
