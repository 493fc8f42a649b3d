import { expect, test } from 'vitest'
import { readEmail } from '../../../../test/harness/emails.ts'
import { startStage } from '../../../../test/harness/staged.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { Broadcasts } from '../../emails/delivery/broadcasts.ts'
import { loadEmails } from '../../emails/delivery/load.ts'
import { claimDue, releaseHeldBy } from '../../emails/delivery/queries.ts'
import { Settler } from '../../emails/delivery/settle.ts'
import { ACT_JOB, type ActPayload } from '../simulation/act.ts'

const HTML = '<p>Hi</p><a href="https://acme.dev/start?a=1&amp;b=2">start</a> <a href="https://acme.dev/help">help</a>'
const HOUR = 3_600

/** A sandbox in which each of these recipients, by the name in front of the @, meets an outcome of their own. */
async function play(outcomes: Record<string, object>) {
  const stage = await startStage()
  const box = await stage.sandbox()
  const rules = Object.entries(outcomes).map(([name, outcome]) => ({ match: { to: `${name}@*` }, outcome }))
  const reply = await box.setScenario({ rules })
  expect(reply.status, reply.text).toBe(200)
  return {
    ...stage,
    box,
    mailTo: (...names: string[]) => box.mail({ html: HTML, to: names.map((name) => `${name}@example.com`) }),
    suppressed: async () =>
      (await box.get('/suppressions')).body.data.map(({ email, origin }: { email: string; origin: string }) => [
        email.split('@')[0],
        origin,
      ]),
    async after(seconds: number) {
      stage.app.clock.advance(seconds)
      await stage.settle()
    },
  }
}

test('mail that was taken comes back later as a report, or is complained about', async () => {
  const { box, mailTo, after, suppressed } = await play({
    moved: { bounced: { after: '2 hours', reply: '550 5.1.1 moved away' } },
    full: { bounced: { reply: '552 5.2.2 full' } },
    angry: { complained: { after: '1 hour' } },
  })
  const id = await mailTo('moved', 'full', 'angry', 'calm')

  await after(0)
  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'delivered', 'bounced'])
  expect(await suppressed()).toEqual([])
  await after(HOUR)
  expect(await suppressed()).toEqual([['angry', 'complaint']])
  await after(HOUR)

  const email = await readEmail(box, id)
  expect(email.timeline).toEqual(['sent', 'delivered', 'bounced', 'complained', 'bounced'])
  expect(Object.values(email.states)).toEqual(['bounced', 'bounced', 'delivered', 'delivered'])
  expect(email.events.at(-2).data.to).toEqual(['angry@example.com'])
  expect(email.events.at(-1).data).toMatchObject({
    to: ['moved@example.com'],
    bounce: {
      message: 'smtp; 550 5.1.1 moved away',
      type: 'Permanent',
      diagnosticCode: ['smtp; 550 5.1.1 moved away'],
    },
  })
  expect((await suppressed()).sort()).toEqual([
    ['angry', 'complaint'],
    ['moved', 'bounce'],
  ])
})

test('people count, machines do not, whoever opens and clicks', async () => {
  const { box, mailTo, after } = await play({
    person: { opened: {}, clicked: {} },
    proxy: { opened: { by: 'privacy_proxy' } },
    scanner: { opened: { by: 'scanner' }, clicked: { by: 'scanner' } },
    patient: { clicked: { by: 'scanner', after: '1 hour' } },
    helped: { clicked: { link: '/help', after: '1 hour' } },
    lost: { clicked: { link: '/nowhere' } },
    hasty: { opened: { after: '0 seconds' } },
  })
  const names = ['person', 'proxy', 'scanner', 'patient', 'helped', 'lost', 'hasty']
  const ids = await Promise.all(names.map((name) => mailTo(name)))

  for (const seconds of [0, 1, HOUR]) await after(seconds)

  const stories = await Promise.all(
    ids.map(async (id) => {
      const { last_event, events } = await readEmail(box, id)
      const told = events.slice(2).map(({ type, data }: { type: string; data: Record<string, never> }) => {
        const { click, verdict } = data as { click?: { link: string }; verdict?: { kind: string; reason: string } }
        return [type.slice('email.'.length), verdict?.reason, ...(click ? [click.link.slice(16, 21)] : [])].join(' ')
      })
      return [last_event, ...told]
    }),
  )
  expect(Object.fromEntries(names.map((name, index) => [name, stories[index]]))).toEqual({
    person: ['clicked', 'opened browser', 'clicked browser /star'],
    proxy: ['delivered', 'opened apple_mail_privacy'],
    scanner: ['delivered', ...['opened known_scanner', 'clicked known_scanner /star', 'clicked known_scanner /help']],
    patient: ['delivered', 'clicked known_scanner /star', 'clicked known_scanner /help'],
    helped: ['clicked', 'clicked browser /help'],
    lost: ['delivered'],
    hasty: ['delivered', 'opened within_a_second_of_delivery'],
  })
})

test('mail is unsubscribed from with one click: from its topic, or from all that goes to many', async () => {
  const { app, box, mailTo, after } = await play({ enough: { unsubscribed: {} } })
  const id = await mailTo('enough')
  await after(0)
  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'delivered', 'unsubscribed'])
  expect((await box.get('/contacts/enough@example.com')).body).toMatchObject({ unsubscribed: true })

  const { body: topic } = await box.post('/topics', { name: 'News', default_subscription: 'opt_in' })
  const news = { to: 'enough@example.com', topic_id: topic.id }
  const about = await box.mail(news)
  await after(0)
  const again = await box.mail(news)
  await app.deliverDue()

  expect((await readEmail(box, about)).timeline).toEqual(['sent', 'delivered', 'unsubscribed'])
  expect((await readEmail(box, again)).states).toEqual({ 'enough@example.com': 'failed' })
})

test('an answer is received mail, in the thread of what it answers', async () => {
  const { app, box, after } = await play({ ada: { replied: { after: '3 days', text: 'Yes, please.\n\nAda' } } })
  expect((await box.post('/inboxes', { email_address: `hello@${box.domain}` })).status).toBe(201)
  const asked = await box.mail({ subject: 'Shall we?', from: `hello@${box.domain}` })

  for (const seconds of [0, 72 * HOUR]) await after(seconds)
  await app.fileMail()

  const [received] = (await box.get('/emails/receiving')).body.data
  const answer = (await box.get(`/emails/receiving/${received.id}`)).body
  const { message_id } = (await readEmail(box, asked)).events[0].data
  expect(answer).toMatchObject({
    from: 'ada@example.com',
    to: [`hello@${box.domain}`],
    subject: 'Re: Shall we?',
    text: expect.stringContaining('Yes, please.'),
    headers: { 'in-reply-to': message_id, references: message_id },
  })
  expect(Date.parse(answer.headers.date)).toBe(Math.floor(app.clock.now().getTime() / 1_000) * 1_000)
  const filed = await app.db.query(sql`select thread_id from inbox_messages where team_id = ${box.team}`)
  expect(filed).toHaveLength(2)
  expect(new Set(filed.map(({ thread_id }) => thread_id)).size).toBe(1)
})

test('what follows happens once, however often its job runs', async () => {
  const { app, box, mailTo, settle } = await play({
    ada: { opened: { after: '0 seconds' }, replied: { text: 'Hi' }, unsubscribed: {}, complained: {} },
  })
  const id = await mailTo('ada')
  await app.deliverDue()
  const [row] = await app.db.query<{ job: object }>(sql`
    select to_json(jobs) as job from jobs where name = 'scenario.act' and payload ->> 'team' = ${box.team}`)

  await settle()
  const once = (await readEmail(box, id)).timeline
  // Its process has ended after the work and before the tick.
  const { id: _done, ...job } = row!.job as { id: string }
  const again = JSON.stringify({ ...job, id: id })
  await app.db.query(sql`insert into jobs select * from json_populate_record(null::jobs, ${again}::json)`)
  await settle()

  expect(once).toEqual(['sent', 'delivered', 'opened', 'unsubscribed', 'complained'])
  expect((await readEmail(box, id)).timeline).toEqual(once)
  expect((await box.get('/emails/receiving')).body.data).toHaveLength(1)
})

test('nothing follows a delivery that was not written down', async () => {
  const { app, box, mailTo, settle } = await play({ ada: { replied: { text: 'Hi' } } })
  const id = await mailTo('ada')
  const jobs = () =>
    app.db.query(sql`select id from jobs where name = 'scenario.act' and payload ->> 'team' = ${box.team}`)
  const node = app.db.presence.node
  const [row] = await claimDue(app.db, { node, now: app.clock.now(), of: [{ priority: 0, limit: 1, since: null }] })
  const [email] = await loadEmails(app.db, [row!], new Broadcasts(app.db))

  // The node was taken for dead while it decided, and its row is another's.
  await releaseHeldBy(app.db, [node])
  const payload: ActPayload = { team: box.team, id, email: id, recipient: row!.recipient, deliveredAt: '', acts: [] }
  const verdict = { kind: 'delivered', reply: '250 2.0.0 Ok' } as const
  const later = [{ id, name: ACT_JOB, payload, runAt: app.clock.now() }]
  await new Settler(app.db, app.clock).settle({ email: email!, verdicts: [{ row: row!, verdict, later }] })
  expect(await jobs()).toEqual([])
  await app.deliverDue()
  expect(await jobs()).toHaveLength(1)
  await settle()

  expect((await readEmail(box, id)).timeline).toEqual(['sent', 'delivered'])
  expect((await box.get('/emails/receiving')).body.data).toHaveLength(1)
})
