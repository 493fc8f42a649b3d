import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { freshDatabase } from '../../../test/harness/database.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { sql } from '../../kernel/db/sql.ts'
import { MAX_PACKED_BYTES, packBodies, unpackBodies } from '../../mail/packed-bodies.ts'

const LETTER = {
  html: `<!doctype html><p>${'Your parcel is on its way to the station. '.repeat(20)}Zanzibar 😀</p>`,
  text: `${'Your parcel is on its way to the station. '.repeat(20)}Zanzibar 😀`,
}

const stored = async (app: App, { team }: Client, id: string) => {
  const [row] = await app.db.query<{ html: string | null; text: string | null; content: Buffer | null }>(sql`
    select html, text, content from email_bodies where team_id = ${team} and email_id = ${id}`)
  return row!
}

/** As a program from before has written it. */
const unpackRow = async (app: App, client: Client, id: string) => {
  const { html, text } = unpackBodies((await stored(app, client, id)).content!)
  await app.db.query(sql.write`
    update email_bodies set html = ${html}, text = ${text}, content = null where team_id = ${client.team} and email_id = ${id}`)
}

test('bodies are packed, and nobody who reads an email sees it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id = await sendEmail(acme, LETTER)
  const old = await sendEmail(acme, LETTER)
  await unpackRow(app, acme, old)
  await app.deliverDue()

  const { html, text, content } = await stored(app, acme, id)
  expect([html, text]).toEqual([null, null])
  expect(content!.length).toBeLessThan(250)
  for (const one of [id, old]) {
    expect(await readEmail(acme, one)).toMatchObject({ ...LETTER, last_event: 'delivered' })
    const { body } = await acme.get(`/messages/${one}`)
    expect([body.html, body.text]).toEqual([LETTER.html, LETTER.text])
  }
  const found = (await acme.get('/messages?q=zanzibar')).body.data.map((one: { id: string }) => one.id)
  expect(found.sort()).toEqual([id, old].sort())
  const saying = (await acme.get('/messages?text=zanzibar')).body.data.map((one: { id: string }) => one.id)
  expect(saying.sort()).toEqual([id, old].sort())
})

test.each([
  ['html alone', { html: LETTER.html }],
  ['an empty text', { html: LETTER.html, text: '' }],
  ['text alone', { html: undefined, text: LETTER.text }],
])('%s', async (_what, bodies) => {
  const app = await startApp()
  const acme = await app.as('acme')
  const id = await sendEmail(acme, bodies)
  const { html, text } = unpackBodies((await stored(app, acme, id)).content!)
  expect([html, text]).toEqual([bodies.html ?? null, 'text' in bodies ? bodies.text : null])
  const shown = await readEmail(acme, id)
  expect([shown.html, shown.text]).toEqual([html, text])
})

test('what is short or long stays as it is, and a batch is packed up to a megabyte', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const long = 'a'.repeat(MAX_PACKED_BYTES + 1)
  const [short, large] = [await sendEmail(acme, { html: '<p>Hi</p>' }), await sendEmail(acme, { html: long })]
  expect(await stored(app, acme, short)).toEqual({ html: '<p>Hi</p>', text: null, content: null })
  expect(await stored(app, acme, large)).toEqual({ html: long, text: null, content: null })

  const email = { from: 'hello@acme.dev', to: 'ada@example.com', subject: 'Hi', text: 'b'.repeat(MAX_PACKED_BYTES) }
  const { body } = await acme.post('/emails/batch', Array(20).fill(email))
  const rows = await Promise.all(body.data.map((one: { id: string }) => stored(app, acme, one.id)))
  expect(rows.map(({ content }) => content !== null)).toEqual([...Array(16).fill(true), ...Array(4).fill(false)])
  expect(rows.at(-1).text).toBe(email.text)
})

test.each([
  ['both', LETTER],
  ['no text', { html: LETTER.html, text: null }],
  ['no html', { html: null, text: LETTER.text }],
  ['nothing in one of them', { html: '', text: LETTER.text }],
  ['as much as there may be', { html: 'a'.repeat(MAX_PACKED_BYTES), text: '' }],
])('sizes are known without unpacking: %s', async (_what, { html, text }) => {
  const app = await startApp()
  const packed = packBodies({ html, text })
  const [row] = await app.db.query(sql`
    select packed_bytes(${packed}::bytea, 1) as html, packed_bytes(${packed}::bytea, 4) as text`)
  const bytes = (body: string | null) => (body === null ? null : Buffer.byteLength(body))
  expect(row).toEqual({ html: bytes(html), text: bytes(text) })
})

test('new periods keep what is packed as it is, like the others', async () => {
  await freshDatabase()
  const app = await startApp()
  await app.runDueJobs()
  const storages = await app.db.query(sql`
    select distinct a.attstorage::text as storage from pg_partition_tree('email_bodies') p
    join pg_attribute a on a.attrelid = p.relid and a.attname = 'content'`)
  expect(storages).toEqual([{ storage: 'e' }])
})
