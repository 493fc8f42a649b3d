import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { arrive, RICH } from '../../../../test/harness/arriving.ts'
import { SIMPLE } from '../../../../test/harness/emails.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { addThread, type MadeInbox, makeInbox } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'

async function startWithInbox() {
  const app = await startApp()
  const acme = await app.as('acme')
  return { app, acme, inbox: await makeInbox(acme) }
}

/** Gives messages of a thread the content of received and sent emails. */
async function become({ db }: App, { team }: MadeInbox, ids: Readonly<Record<string, string>>) {
  for (const [message, email] of Object.entries(ids))
    await db.query(sql`update inbox_messages set id = ${email} where team_id = ${team} and id = ${message}`)
}

async function startConversation() {
  const { app, acme, inbox } = await startWithInbox()
  const { message: question } = await arrive(app, RICH, { to: [inbox.address] })
  await acme.get(`/emails/receiving/${question}`)
  const { id: answer } = (await acme.post('/emails', { ...SIMPLE, html: '<p>Sure</p>', text: 'Sure' })).body
  const thread = await addThread(app, inbox, { messages: [{}, { direction: 'outbound' }] })
  await become(app, inbox, { [thread.emails[0]!]: question, [thread.emails[1]!]: answer })
  return { app, acme, inbox, question, answer, path: `${inbox.path}/threads/${thread.id}/emails` }
}

test('the emails of a thread are there with what they say, the oldest first', async () => {
  const { acme, path, question, answer } = await startConversation()

  const { body } = await acme.get(path)

  expect(body).toMatchObject({
    has_more: false,
    data: [
      {
        ...{ id: question, direction: 'inbound', from: 'Ada <ada@example.net>', to: ['desk@acme.example'] },
        ...{ cc: [], bcc: [], reply_to: [], attachments: [], read: false },
        html: expect.stringContaining('<p>Grüße</p><img src="cid:logo@example.net">'),
        text: null,
        received_at: expect.stringMatching(/Z$/),
      },
      { id: answer, direction: 'outbound', read: true, html: '<p>Sure</p>', text: 'Sure' },
    ],
  })
})

test('an email by itself shows its own images', async () => {
  const { acme, path, question, answer } = await startConversation()

  expect((await acme.get(`${path}/${question}`)).body).toMatchObject({
    id: question,
    direction: 'inbound',
    html: expect.stringContaining('<p>Grüße</p><img src="data:image/png;base64,iVBORw0KGgo=">'),
    text: null,
  })
  expect((await acme.get(`${path}/${answer}`)).body).toMatchObject({ id: answer, html: '<p>Sure</p>', text: 'Sure' })
  expect((await acme.get(`${path}/${newId()}`)).body).toMatchObject({ statusCode: 404, message: 'Email not found' })
})

test('an email of another thread is not in this one', async () => {
  const { app, acme, inbox } = await startWithInbox()
  const [one, other] = [await addThread(app, inbox), await addThread(app, inbox)]

  expect((await acme.get(`${inbox.path}/threads/${one.id}/emails/${other.emails[0]}`)).status).toBe(404)
  expect((await acme.get(`${inbox.path}/threads/${newId()}/emails`)).body.message).toBe('Thread not found')
})

test('an email whose content is gone is still there', async () => {
  const { app, acme, inbox } = await startWithInbox()
  const { id, emails } = await addThread(app, inbox, { messages: [{}, { direction: 'outbound' }] })

  for (const email of emails)
    expect((await acme.get(`${inbox.path}/threads/${id}/emails/${email}`)).body).toMatchObject({
      id: email,
      html: null,
      text: null,
    })
})

const idsOf = async (client: Client, path: string) =>
  (await client.get(path)).body.data.map(({ id }: { id: string }) => id)

test('pages go from the oldest to the newest, and back', async () => {
  const { app, acme, inbox } = await startWithInbox()
  const { id, emails } = await addThread(app, inbox, { messages: Array.from({ length: 5 }, () => ({})) })
  const path = `${inbox.path}/threads/${id}/emails`

  expect(await idsOf(acme, `${path}?limit=2`)).toEqual(emails.slice(0, 2))
  expect(await idsOf(acme, `${path}?limit=2&after=${emails[1]}`)).toEqual(emails.slice(2, 4))
  expect((await acme.get(`${path}?limit=2&after=${emails[2]}`)).body.has_more).toBe(false)
  expect(await idsOf(acme, `${path}?limit=2&before=${emails[4]}`)).toEqual(emails.slice(2, 4))
  expect((await acme.get(`${path}?limit=2&before=${emails[2]}`)).body.has_more).toBe(false)
})

test('a page has as much of large emails as is quickly read, and each by itself is whole', async () => {
  const { app, acme, inbox } = await startWithInbox()
  const html = (bytes: number) => `<p>${'a'.repeat(bytes - 7)}</p>`
  const sizes = [300_000, ...Array<number>(18).fill(250_000), 10]
  const sent = await Promise.all(
    sizes.map(async (size) => (await acme.post('/emails', { ...SIMPLE, text: undefined, html: html(size) })).body.id),
  )
  const messages = sizes.map(() => ({ direction: 'outbound' as const }))
  const { id, emails } = await addThread(app, inbox, { messages })
  await become(app, inbox, Object.fromEntries(emails.map((email, n) => [email, sent.toSorted()[n]])))
  await app.db.query(sql`
    update email_bodies b set html = e.html, text = null
    from unnest(${sent.toSorted()}::uuid[], ${sizes.map(html)}::text[]) as e (id, html)
    where b.team_id = ${acme.team} and b.email_id = e.id`)
  const path = `${inbox.path}/threads/${id}/emails`

  const shown = async (query: string) =>
    (await acme.get(`${path}${query}`)).body.data.map(({ html }: { html: string | null }) => html?.length ?? 0)
  // The first one is too large, and 16 of the others are 4 MB.
  const first = await shown('?limit=20')
  expect(first[0]).toBe(0)
  expect(first.filter((length: number) => length > 0)).toEqual(Array(16).fill(250_000))
  // Backwards the page is filled from its end.
  const last = await shown(`?limit=20&before=ffffffff-ffff-ffff-ffff-ffffffffffff`)
  expect(last.slice(-2)).toEqual([250_000, 10])
  expect(last.slice(0, 3)).toEqual([0, 0, 0])
  expect((await acme.get(`${path}/${sent.toSorted()[0]}`)).body.html).toHaveLength(300_000)
})
