import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness/app.ts'
import { addVerifiedDomain, emptyLedger, readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { readableLog } from '../../../../../test/harness/log.ts'
import { hangUp, type MailServerOptions } from '../../../../../test/harness/mail-conversation.ts'
import { startMailServer } from '../../../../../test/harness/mail-server.ts'
import { sql } from '../../../../kernel/db/sql.ts'

async function startRelayed(options: MailServerOptions, login = '') {
  const relay = await startMailServer(options)
  const readable = readableLog()
  const url = `smtp://${login}127.0.0.1:${relay.port}`
  const app = await startApp({ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: url }, { log: readable.log })
  await emptyLedger(app)
  const acme = await app.as('acme')
  const name = `d-${Math.random().toString(36).slice(2)}.dev`
  await addVerifiedDomain(app, acme, name)
  return { app, acme, relay, from: `hello@${name}`, ...readable }
}

type Started = Awaited<ReturnType<typeof startRelayed>>

/** Each ten minutes after the other, twice as long as a dead relay is left alone: for hours, as the recipients' own schedule would have it. */
async function tryForHours({ app }: Started, minutes = 130) {
  for (let minute = 0; minute < minutes; minute += 10) {
    app.clock.advance(600)
    await app.deliverDue()
  }
}

const AWAY: MailServerOptions['react'] = ({ step }) => (step === 'CONNECT' ? hangUp : undefined)
const WRONG: MailServerOptions['react'] = ({ step }) => (step === 'AUTH' ? '535 5.7.8 Wrong password' : undefined)
const auth = { user: 'relay', pass: 'geheim' }

test.each([
  ['was away', { react: AWAY }, ''],
  ['refused the login', { react: WRONG, auth }, 'relay:geheim@'],
])(
  'after a relay that %s is back, mail leaves at once, and not by the schedule of its recipient',
  async (_name, options, login) => {
    const started = await startRelayed(options, login)
    const { app, acme, relay, from } = started
    const ids = [await sendEmail(acme, { from, to: 'ada@one.dev' }), await sendEmail(acme, { from, to: 'bob@one.dev' })]
    await app.deliverDue()
    await tryForHours(started)
    const waiting = await readEmail(acme, ids[0]!)

    relay.react(() => undefined)
    app.clock.advance(300)
    await app.deliverDue()

    expect(relay.messages).toHaveLength(2)
    expect(waiting).toMatchObject({ last_event: 'delivery_delayed', states: { 'ada@one.dev': 'waiting' } })
    // Whatever the number of times: it is said once, and no step on the recipient's schedule.
    expect(waiting.deliveries[0].replies).toHaveLength(1)
    expect((await readEmail(acme, ids[0]!)).deliveries[0]).toMatchObject({ state: 'delivered', attempts: 1 })
  },
)

test('mail that came while the relay was away waits in the ledger, out of the way of claims', async () => {
  const { app, acme, relay, from } = await startRelayed({ react: AWAY })
  await sendEmail(acme, { from, to: 'ada@one.dev' })
  await app.deliverDue()
  await sendEmail(acme, { from, to: 'bob@one.dev' })
  await app.deliverDue()

  const rows = await app.db.query(sql`select parked_for, attempts from deliveries where state = 'waiting'`)
  expect(rows).toEqual([
    { parked_for: 'relay', attempts: 0 },
    { parked_for: 'relay', attempts: 0 },
  ])
  relay.react(() => undefined)
  app.clock.advance(5)
  await app.deliverDue()
  expect(relay.messages).toHaveLength(2)
})

test('a recipient whom the relay puts off goes by its own schedule', async () => {
  const { app, acme, from } = await startRelayed({
    react: ({ step }) => (step === 'RCPT' ? '450 4.2.0 Greylisted' : undefined),
  })
  const id = await sendEmail(acme, { from, to: 'ada@one.dev' })
  await app.deliverDue()

  expect((await readEmail(acme, id)).deliveries[0]).toMatchObject({ attempts: 1 })
  expect(await app.db.query(sql`select parked_for from deliveries`)).toEqual([{ parked_for: null }])
})

test('a login that the relay refuses is a warning, without the password', async () => {
  const { app, acme, from, saying, text } = await startRelayed({ react: WRONG, auth }, 'relay:geheim@')
  await sendEmail(acme, { from, to: 'ada@one.dev' })
  await app.deliverDue()

  expect(saying('delivery: route relay refuses the login; all mail waits')).toEqual([
    { route: 'relay', host: '127.0.0.1', reply: '535 5.7.8 Wrong password' },
  ])
  expect(text()).not.toContain('geheim')
})

test('mail that the relay was never there for has bounced after 72 hours', async () => {
  const started = await startRelayed({ react: AWAY })
  const { app, acme, from } = started
  const id = await sendEmail(acme, { from, to: 'ada@one.dev' })
  await app.deliverDue()
  app.clock.advance(71 * 3_600)
  await app.deliverDue()
  const before = await readEmail(acme, id)
  app.clock.advance(3_700)
  await app.deliverDue()

  expect(before.states).toEqual({ 'ada@one.dev': 'waiting' })
  expect((await readEmail(acme, id)).last_event).toBe('bounced')
})
