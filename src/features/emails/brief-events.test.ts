import { describe, expect, test } from 'vitest'
import { sendEmail } from '../../../test/harness/emails.ts'
import { eventually } from '../../../test/harness/service.ts'
import { addWebhook, startWithReceiver } from '../../../test/harness/webhooks.ts'
import { sql } from '../../kernel/db/sql.ts'

const TYPES = ['email.sent', 'email.delivered']
const FIELDS = {
  from: 'Acme "Shop" <hello@acme.dev>',
  to: ['Ann <ann@example.com>', 'bob@example.com'],
  subject: 'It\'s "here" \\ ünï',
  tags: [{ name: 'plan', value: 'gold' }],
}

async function startDelivering() {
  const { app, acme, receiver } = await startWithReceiver()
  await addWebhook(acme, receiver.url, TYPES)
  const stored = async (about: string) => {
    const rows = await app.db.query<{ data: object }>(sql`
      select data from outbox where team_id = ${acme.team} and about = ${about} order by id`)
    return rows.map(({ data }) => data)
  }
  /** What receivers have heard and what the timeline says, in the order of time. */
  const told = async () => {
    const posted = receiver.received.map(({ event }) => event)
    return TYPES.map((type) => posted.find((event) => event.type === type)?.data)
  }
  return { app, acme, receiver, stored, told }
}

const whole = (id: string) => ({
  email_id: id,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  from: FIELDS.from,
  subject: FIELDS.subject,
  message_id: `<${id}@acme.dev>`,
  tags: { plan: 'gold' },
})

describe('an event about an email', () => {
  test('does not repeat it, and tells all of it to webhooks and in the timeline', async () => {
    const { app, acme, stored, told } = await startDelivering()
    const id = await sendEmail(acme, FIELDS)
    await app.deliverDue()
    await app.deliverWebhooks()

    const recipients = ['ann@example.com', 'bob@example.com']
    expect(await stored(id)).toEqual([{ tags: { plan: 'gold' } }, { to: recipients, tags: { plan: 'gold' } }])
    const expected = [
      { ...whole(id), to: FIELDS.to },
      { ...whole(id), to: recipients },
    ]
    expect(await told()).toEqual(expected)
    const { body } = await acme.get(`/emails/${id}`)
    expect(body.events.map(({ data }: { data: object }) => data)).toEqual(expected)
  })

  test('that webhooks have still to hear of is whole when the email is deleted', async () => {
    const { app, acme, told } = await startDelivering()
    const id = await sendEmail(acme, FIELDS)
    await app.deliverDue()
    expect((await acme.delete(`/messages/${id}`)).status).toBe(200)
    await app.deliverWebhooks()

    expect(await told()).toMatchObject([whole(id), whole(id)])
  })

  test('says what it has when the email went with its time', async () => {
    const { app, acme, told } = await startDelivering()
    const id = await sendEmail(acme, { ...FIELDS, tags: undefined })
    await app.deliverDue()
    await app.db.query(sql`delete from emails where team_id = ${acme.team} and id = ${id}`)
    await app.deliverWebhooks()

    expect(await told()).toEqual([{ email_id: id }, { email_id: id, to: ['ann@example.com', 'bob@example.com'] }])
  })

  // The last one: this database is not compact any more.
  test('is whole while programs from before the upgrade may have to read it', async () => {
    const { app, acme, stored } = await startDelivering()
    await app.db.query(sql`
      update schema_migrations set is_contraction = false, applied_at = now() where name = '0105_compact_rows.sql'`)
    await app.db.query(sql`update teams set created_at = '2025-01-01' where id = ${acme.team}`)
    await app.db.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'postwren presence%'`)
    await eventually(() => !app.db.presence.storesCompactly)
    const id = await sendEmail(acme, FIELDS)

    expect((await stored(id))[0]).toEqual({ ...whole(id), to: FIELDS.to })
  })
})
