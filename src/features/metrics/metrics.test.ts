import { Resend } from 'resend'
import { describe, expect, test } from 'vitest'
import { addVerifiedDomain, sendEmail, startAcme } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { startTracked } from '../../../test/harness/tracked-mail.ts'
import { sql } from '../../kernel/db/sql.ts'
import { METRICS } from './names.ts'

const DAY = 86_400_000

/** One team, and events of its emails wherever a test wants them in time. */
async function start() {
  const { app, acme } = await startAcme()
  return {
    app,
    acme,
    ask: async (query: string) => (await acme.get(`/emails/metrics?${query}`)).body,
    refusal: async (query: string) => {
      const { status, body } = await acme.get(`/emails/metrics?${query}`)
      expect([status, body.name], query).toEqual([
        422,
        expect.stringMatching(/^(?:validation_error|invalid_parameter)$/),
      ])
      return body.message as string
    },
    happen: (type: string, at: string, about = newId(), data: object = {}) =>
      app.db.query(sql`
        insert into outbox (team_id, id, type, data, about, created_at)
        values (${acme.team}, ${newId()}, ${type}, ${JSON.stringify(data)}, ${about}, ${at})`),
  }
}

describe('metrics', () => {
  test('are all of them, over the last six days, when nothing is asked for', async () => {
    const { app, ask } = await start()
    const now = app.clock.now()

    const body = await ask('')

    expect(body).toEqual({
      object: 'metrics',
      start_date: new Date(now.getTime() - 6 * DAY).toISOString(),
      end_date: now.toISOString(),
      metrics: METRICS,
      dimensions: [],
      granularity: 'daily',
      totals: Object.fromEntries(METRICS.map((metric) => [metric, 0])),
    })
    expect(METRICS).toHaveLength(22)
  })

  test('count what became of emails', async () => {
    const { app, acme, ask } = await start()
    await (await app.as('globex')).post('/emails', { from: 'a@b.dev', to: 'c@d.dev', subject: 'Theirs', text: 'Hi' })
    for (const name of ['delivered', 'delivered+2', 'bounced', 'complained', 'suppressed'])
      await sendEmail(acme, { to: `${name}@resend.dev` })
    await app.deliverDue()
    // What happens is dated by the database, a moment after the clock of the test.
    app.clock.advance(60)

    const { totals } = await ask('')

    expect(totals).toMatchObject({
      sent: 5,
      delivered: 3,
      bounced: 1,
      bounced_permanent: 1,
      bounced_transient: 0,
      complained: 1,
      suppressed: 1,
      failed: 0,
      delivery_rate: 60,
      bounce_rate: 20,
      complaint_rate: 33.33,
      open_rate: 0,
    })
  })

  test('count what people did with a mail, and not what machines did', async () => {
    const { app, acme, deliver, visit } = await startTracked()
    const { mail } = await deliver({ html: '<a href="https://acme.dev">x</a>' })
    const { mail: other } = await deliver({ html: '<p>Hi</p>' })
    for (const pixel of [mail.pixel!, mail.pixel!, other.pixel!]) await visit(pixel)
    await visit(mail.links[0]!)
    await visit(other.pixel!, { 'user-agent': 'Mozilla/5.0' })
    await visit(mail.links[0]!, { 'user-agent': 'Barracuda Sentinel' })
    app.clock.advance(60)

    const { totals } = (await acme.get('/emails/metrics')).body

    expect(totals).toMatchObject({
      delivered: 2,
      opened: 3,
      unique_opened: 2,
      clicked: 1,
      unique_clicked: 1,
      open_rate: 100,
      click_rate: 50,
    })
  })

  test('count an email once, however often the same thing happened to it', async () => {
    const { ask, happen } = await start()
    const email = newId()
    for (const hour of ['01', '02', '03']) await happen('email.delivered', `2026-03-01T${hour}:00:00Z`, email)

    const { totals } = await ask('start_date=2026-03-01&end_date=2026-03-02&metrics=delivered')

    expect(totals).toEqual({ delivered: 1 })
  })

  test('begin and end where they are told to, to the millisecond', async () => {
    const { ask, happen } = await start()
    for (const at of [
      '2026-02-28T23:59:59.999Z',
      '2026-03-01T00:00:00Z',
      '2026-03-02T23:59:59.999Z',
      '2026-03-03T00:00:00Z',
    ])
      await happen('email.sent', at)
    const count = async (range: string) => (await ask(`metrics=sent&${range}`)).totals.sent

    expect(await count('start_date=2026-03-01&end_date=2026-03-02')).toBe(2)
    expect(await count('start_date=2026-02-28T23:59:59.999Z&end_date=2026-03-03T00:00:00Z')).toBe(4)
    expect(await count('start_date=2026-03-01T01:00:00%2B01:00&end_date=2026-03-01T00:00')).toBe(1)
    expect(await count('start_date=2026-03-01T00:00:00.001Z&end_date=2026-03-02T23:59:59.998')).toBe(0)
  })

  test('end now at the latest', async () => {
    const { app, ask } = await start()

    const body = await ask('end_date=2099-01-01')

    expect(body.end_date).toBe(app.clock.now().toISOString())
  })

  test('are told apart by period, domain and email, in any combination', async () => {
    const { app, acme, ask, happen } = await start()
    const domain = await addVerifiedDomain(app, acme, 'metrics.dev')
    const [ours, other] = [await sendEmail(acme, { from: 'a@metrics.dev' }), await sendEmail(acme)]
    await happen('email.delivered', '2026-03-01T10:00:00Z', ours)
    await happen('email.delivered', '2026-03-02T10:00:00Z', ours)
    await happen('email.bounced', '2026-03-02T11:00:00Z', other, { bounce: { type: 'Transient' } })
    const range = 'start_date=2026-03-01&end_date=2026-03-03&metrics=delivered,bounced_transient'
    const [first, second] = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z']
    const rows = async (query: string) => (await ask(`${range}&${query}`)).data

    // What happens to an email a second time is not counted again.
    expect(await rows('dimensions=period')).toEqual([
      { period: first, delivered: 1, bounced_transient: 0 },
      { period: second, delivered: 0, bounced_transient: 1 },
    ])
    expect(await rows('dimensions=domain')).toEqual([
      { domain_id: domain, domain_name: 'metrics.dev', delivered: 1, bounced_transient: 0 },
      { delivered: 0, bounced_transient: 1 },
    ])
    expect(await rows('dimensions=email')).toEqual([
      { email_id: ours, delivered: 1, bounced_transient: 0 },
      { email_id: other, delivered: 0, bounced_transient: 1 },
    ])
    expect(await rows(`dimensions=email,period&email_id=${ours}`)).toEqual([
      { email_id: ours, period: first, delivered: 1, bounced_transient: 0 },
    ])
    expect(await rows(`dimensions=period&domain_id=${domain}`)).toEqual([
      { period: first, delivered: 1, bounced_transient: 0 },
    ])
    expect(await rows('dimensions=broadcast')).toEqual([{ delivered: 1, bounced_transient: 1 }])
    expect((await ask(`${range}&broadcast_id=${newId()}`)).totals).toEqual({ delivered: 0, bounced_transient: 0 })
  })

  test('are what the SDK asks for', async () => {
    const { app, acme, happen } = await start()
    await happen('email.sent', '2026-03-01T10:00:00Z')
    const resend = new Resend(acme.token, { baseUrl: await app.server.listen({ port: 0 }) })

    const { data, error } = await resend.emails.metrics({
      startDate: '2026-03-01',
      endDate: '2026-03-02',
      timezone: 'Europe/Berlin',
      granularity: 'daily',
      metrics: ['sent', 'delivery_rate'],
      dimensions: ['period', 'domain'],
    })

    expect(error).toBeNull()
    expect(data).toMatchObject({ object: 'metrics', totals: { sent: 1, delivery_rate: 0 } })
    expect(data!.data).toEqual([{ period: '2026-02-28T23:00:00.000Z', sent: 1, delivery_rate: 0 }])
  })

  test('take lists with commas, repeated, and both', async () => {
    const { ask } = await start()

    const forms = [
      'metrics=sent,delivered,bounced',
      'metrics=sent&metrics=delivered,bounced&metrics=sent',
      'metrics=sent,%20delivered,,bounced',
    ]

    for (const form of forms) expect((await ask(form)).metrics, form).toEqual(['sent', 'delivered', 'bounced'])
    expect((await ask('metrics=')).metrics).toEqual(METRICS)
    expect((await ask('dimensions=period&dimensions=domain')).dimensions).toEqual(['period', 'domain'])
  })

  test('say what is wrong with a question', async () => {
    const { refusal } = await start()
    const tooMany = Array.from({ length: 101 }, newId).join()
    const answers = {
      'start_date=yesterday': 'Invalid `start_date`.',
      'start_date=2026-02-30': 'Invalid `start_date`.',
      'end_date=2026-02-01T99:00Z': 'Invalid `end_date`.',
      'start_date=2026-02-02&end_date=2026-02-01': 'Invalid `start_date`. It must not be after `end_date`.',
      'start_date=2099-01-01': 'Invalid `start_date`. It must not be after `end_date`.',
      'granularity=minutely': 'Invalid `granularity`. It must be one of hourly, daily, weekly, monthly.',
      'granularity=hourly&start_date=2020-01-01': 'Invalid `granularity`. The range has more than 10000 periods of it.',
      'metrics=sent,read': expect.stringContaining('Invalid `metrics`.'),
      'dimensions=team': 'Invalid `dimensions`. It must be one of period, domain, email, broadcast.',
      'timezone=Mars/Olympus': expect.stringContaining('Invalid `timezone`.'),
      'timezone=%2B02:00': expect.stringContaining('Invalid `timezone`.'),
      'domain_id=1': 'The `domain_id` must be a valid UUID.',
      'start_date=2026-02-01&start_date=2026-02-01': 'Invalid `start_date`.',
      [`email_id=${tooMany}`]: 'Invalid `email_id`. It must be at most 100 ids.',
      'dimensions=email,broadcast': 'Emails and broadcasts cannot be asked for at the same time.',
      [`dimensions=email&broadcast_id=${newId()}`]: 'Emails and broadcasts cannot be asked for at the same time.',
    }

    for (const [query, message] of Object.entries(answers)) expect(await refusal(query), query).toEqual(message)
  })
})

test('every time zone that Node knows, PostgreSQL knows too', async () => {
  const { app } = await start()

  const unknown = await app.db.query(sql`
    select zone from unnest(${Intl.supportedValuesOf('timeZone')}::text[]) zone
    where not exists (select from pg_timezone_names where lower(name) = lower(zone))`)

  expect(unknown).toEqual([])
})

test('an answer that nobody could read is refused before it is put together', async () => {
  const { app, acme } = await startAcme()
  const at = new Date(app.clock.now().getTime() - 1_000)
  await app.db.query(sql`
    insert into metric_facts (team_id, email_id, metric, event_id, at)
    select ${acme.team}, gen_random_uuid(), 'sent', '00000000-0000-0000-0000-000000000000', ${at} from generate_series(1, 50001)`)

  const byEmail = await acme.get('/emails/metrics?dimensions=email&metrics=sent')
  const byDomain = await acme.get('/emails/metrics?dimensions=domain&metrics=sent')

  expect([byEmail.status, byEmail.body.message]).toEqual([422, expect.stringContaining('more than 50,000 rows')])
  expect(byDomain.status).toBe(200)
})
