import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingTeam } from '../../../test/harness/arriving.ts'
import { readEmail, sendEmail } from '../../../test/harness/emails.ts'
import { sweepBlobs } from '../../kernel/blobs/loose-blobs.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { writeOwnPeriods } from '../../kernel/retention/team-periods.ts'
import { deleteAttachmentsBefore } from '../emails/delivery/ledger/removal.ts'
import { sweepBodies, sweepEmails, sweepReceived, sweepReceivedAttachments, sweepSentAttachments } from './retention.ts'

const DAY = 86_400

async function start(settings: Record<string, string>) {
  const app = await startApp(settings)
  const sweeps = [sweepEmails, sweepBodies, sweepReceived, sweepSentAttachments, sweepReceivedAttachments]
  await ensureRecurring(app.db, [...sweeps, sweepBlobs])
  return { app, acme: await app.as('acme') }
}

async function pass(app: App, days: number) {
  app.clock.advance(days * DAY)
  await app.runDueJobs()
}

const statusOf = async (client: Client, path: string) => (await client.get(path)).status

/** Rows of any table that name an email. */
const traces = (app: App, id: string) =>
  app.db.query<{ table: string }>(sql`
    select 'emails' as table from emails where id = ${id} union all
    select 'bodies' from email_bodies where email_id = ${id} union all
    select 'attachments' from email_attachments where email_id = ${id} union all
    select 'deliveries' from deliveries where email_id = ${id} union all
    select 'status' from emails_by_status where email_id = ${id} union all
    select 'facts' from metric_facts where email_id = ${id} union all
    select 'marks' from message_marks where message_id = ${id} union all
    select 'documents' from email_documents where id = ${id}`)

test('emails go with all that names them when their time is over, and what was counted stays', async () => {
  const { app, acme } = await start({ POSTWREN_RETENTION_EMAILS: '30d' })
  const attachments = [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64') }]
  const id = await sendEmail(acme, { attachments })
  await app.deliverDue()
  await acme.get('/emails?q=hello')
  const metrics = () => acme.get('/emails/metrics?start_date=2020-01-01T00:00:00Z')
  const before = (await metrics()).body

  await pass(app, 29)
  expect(await statusOf(acme, `/emails/${id}`)).toBe(200)
  await pass(app, 2)

  expect(await statusOf(acme, `/emails/${id}`)).toBe(404)
  expect((await acme.get('/emails')).body.data).toEqual([])
  expect(await traces(app, id)).toEqual([])
  expect(JSON.stringify(before)).toMatch(/"(?:delivered|sent)":1\b/)
  expect({ ...(await metrics()).body, end_date: before.end_date }).toEqual(before)
})

test('mail counts from its end: what waits or is scheduled stays', async () => {
  const { app, acme } = await start({ POSTWREN_RETENTION_EMAILS: '10d' })
  const scheduled = await sendEmail(acme, {
    scheduled_at: new Date(app.clock.now().getTime() + 20 * DAY * 1_000).toISOString(),
  })
  const waiting = await sendEmail(acme)

  await pass(app, 15)
  expect(await statusOf(acme, `/emails/${waiting}`)).toBe(200)
  await pass(app, 6)
  await app.deliverDue()
  expect((await readEmail(acme, scheduled)).last_event).toBe('delivered')
  await pass(app, 9)
  expect([await statusOf(acme, `/emails/${scheduled}`), await statusOf(acme, `/emails/${waiting}`)]).toEqual([200, 200])
  await pass(app, 2)
  expect([await statusOf(acme, `/emails/${scheduled}`), await statusOf(acme, `/emails/${waiting}`)]).toEqual([404, 404])
})

test('contents go before their emails, which answer with null', async () => {
  const { app, acme } = await start({ POSTWREN_RETENTION_BODIES: '10d' })
  const attachments = [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64') }]
  const id = await sendEmail(acme, { html: '<p>zanzibar</p>', attachments })
  await app.deliverDue()
  const found = async () => (await acme.get('/messages?q=zanzibar')).body.data.length
  expect(await found()).toBe(1)
  const [blob] = await app.db.query<{ blob: string }>(sql`select blob from email_attachments where email_id = ${id}`)

  await pass(app, 11)
  await pass(app, 2)

  const { status, body } = await acme.get(`/emails/${id}`)
  expect([status, body.html, body.text, body.subject]).toEqual([200, null, null, 'Hello'])
  expect((await acme.get(`/emails/${id}/attachments`)).body.data).toEqual([])
  expect(await statusOf(acme, `/emails/${id}/source`)).toBe(200)
  expect((await acme.get('/emails')).body.data).toHaveLength(1)
  expect(await found()).toBe(0)
  expect(await app.services.blobs.get(blob!.blob)).toBeNull()
})

test('received mail goes with its files, and threads are told', async () => {
  const { app } = await start({ POSTWREN_RETENTION_RECEIVED: '10d' })
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  const inbox = (await acme.post('/inboxes', { name: 'Desk', email_address: `desk@${domain}` })).body
  await arrive(app, RICH, { to: [`desk@${domain}`] })
  await app.runDueJobs()
  const threads = async () => (await acme.get(`/inboxes/${inbox.id}/threads`)).body.data
  expect(await threads()).toHaveLength(1)
  const [received] = (await acme.get('/emails/receiving')).body.data

  await pass(app, 11)
  await pass(app, 2)

  expect(await statusOf(acme, `/emails/receiving/${received.id}`)).toBe(404)
  expect(await threads()).toEqual([])
  expect((await acme.get(`/inboxes/${inbox.id}`)).body).toMatchObject({ unread: 0 })
  const left = await app.db.query(sql`
    select 1 as row from received_raws where received_id = ${received.id}
    union all select 1 from received_bodies where received_id = ${received.id}
    union all select 1 from received_attachments where received_id = ${received.id}
    union all select 1 from inbox_references where email_id = ${received.id}
    union all select 1 from inbox_subjects where email_id = ${received.id}`)
  expect(left).toEqual([])
})

test('attachments go before their emails, which stay with what they say', async () => {
  const { app } = await start({ POSTWREN_RETENTION_ATTACHMENTS: '10d' })
  const { client: acme, domain } = await receivingTeam(app, 'acme')
  const inbox = (await acme.post('/inboxes', { name: 'Desk', email_address: `desk@${domain}` })).body
  const file = { content: Buffer.from('hello').toString('base64') }
  const attachments = [
    { filename: 'a.txt', ...file },
    { filename: 'logo.png', content_id: 'logo', ...file },
  ]
  const sent = await sendEmail(acme, { html: '<p>zanzibar <img src="cid:logo"></p>', attachments })
  await app.deliverDue()
  await arrive(app, RICH, { to: [`desk@${domain}`] })
  await app.runDueJobs()
  const received = (await acme.get('/emails/receiving')).body.data[0].id
  const paths = [`/emails/${sent}`, `/emails/receiving/${received}`]
  const filesOf = async (path: string) => (await acme.get(`${path}/attachments`)).body.data
  const before = await Promise.all(paths.map(filesOf))
  const raw = (await acme.get(paths[1]!)).body.raw.download_url
  const blobs = await app.db.query<{ blob: string }>(sql`
    select blob from email_attachments where email_id = ${sent} union all
    select blob from received_attachments where received_id = ${received}`)

  await pass(app, 9)
  expect((await filesOf(paths[0]!)).length).toBe(2)
  await pass(app, 9)
  await pass(app, 2)

  expect(before.map(({ length }) => length)).toEqual([2, blobs.length - 2])
  for (const [index, path] of paths.entries()) {
    const { status, body } = await acme.get(path)
    expect([status, body.attachments ?? [], body.html !== null]).toEqual([200, [], true])
    expect(await filesOf(path)).toEqual([])
    expect(await statusOf(acme, `${path}/attachments/${before[index][0].id}`)).toBe(404)
  }
  for (const { blob } of blobs) expect(await app.services.blobs.get(blob)).toBeNull()
  const links = [raw, ...before.flat().map(({ download_url }: { download_url: string }) => download_url)]
  for (const link of links) expect((await acme.get(new URL(link).pathname)).status).toBe(404)
  expect((await acme.get(`/emails/${sent}/source`)).status).toBe(200)
  expect((await acme.get(`/inboxes/${inbox.id}/threads`)).body.data).toHaveLength(1)
  expect((await acme.get('/messages?q=zanzibar')).body.data).toHaveLength(1)
})

test('attachments of mail that waits stay, and a team keeps its own for a shorter time', async () => {
  const { app, acme } = await start({ POSTWREN_RETENTION_ATTACHMENTS: '30d' })
  const globex = await app.as('globex')
  await writeOwnPeriods(app.db, acme.team, { by: 'owner', changes: { attachments: 10 * DAY } })
  const attachments = [{ filename: 'a.txt', content: Buffer.from('hello').toString('base64') }]
  const ended = await Promise.all([acme, globex].map((team) => sendEmail(team, { attachments })))
  await app.deliverDue()
  const waiting = await sendEmail(acme, { attachments })
  const left = async (client: Client, id: string) => (await client.get(`/emails/${id}/attachments`)).body.data.length

  await pass(app, 11)

  expect([await left(acme, ended[0]!), await left(globex, ended[1]!), await left(acme, waiting)]).toEqual([0, 1, 1])
})

test('attachments go in slices, and whoever was cut off is carried on', async () => {
  const { app, acme } = await start({})
  const attachments = ['a', 'b'].map((filename) => ({ filename, content: Buffer.from('hello').toString('base64') }))
  const ids = await Promise.all([1, 2, 3].map(() => sendEmail(acme, { attachments })))
  await app.deliverDue()
  const moment = new Date(app.clock.now().getTime() + DAY * 1_000)
  const slice = async () => (await deleteAttachmentsBefore(app.db, { moment, limit: 2, team: acme.team })).length

  const slices = [await slice(), await slice(), await slice(), await slice()]

  expect(slices).toEqual([1, 1, 1, 0])
  const left = await app.db.query(sql`
    select (select count(*)::int from email_attachments where email_id = any (${ids}::uuid[])) as files,
      (select count(*)::int from emails where id = any (${ids}::uuid[])) as emails`)
  expect(left).toEqual([{ files: 0, emails: 3 }])
})

test('a team keeps less when its owners say so, and more when an operator does', async () => {
  const { app, acme } = await start({ POSTWREN_RETENTION_EMAILS: '20d' })
  const [other, long] = [await app.as('globex'), await app.as('initech')]
  await writeOwnPeriods(app.db, acme.team, { by: 'owner', changes: { emails: 10 * DAY } })
  await writeOwnPeriods(app.db, long.team, { by: 'operator', changes: { emails: Number.POSITIVE_INFINITY } })
  const teams = [acme, other, long]
  const ids = await Promise.all(teams.map((team) => sendEmail(team)))
  await app.deliverDue()
  const statuses = () => Promise.all(teams.map((team, index) => statusOf(team, `/emails/${ids[index]}`)))

  await pass(app, 11)
  expect(await statuses()).toEqual([404, 200, 200])
  await pass(app, 10)
  expect(await statuses()).toEqual([404, 404, 200])
})
