import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { bringMail, inboxOf, messagesIn, threadsIn } from '../../../test/harness/filed-mail.ts'
import { sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { writeOwnPeriods } from '../../kernel/retention/team-periods.ts'
import { sweepTrash } from './jobs.ts'

const TABLES = [
  'inbox_threads',
  'inbox_messages',
  'inbox_references',
  'inbox_subjects',
  'inbox_people',
  'inbox_labels',
  'inbox_drafts',
]

test('a deleted inbox leaves nothing behind but the emails themselves', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  await bringMail(app.db, client.team, [
    { receivedFor: [address], subject: 'One' },
    { receivedFor: [address], subject: 'Two' },
  ])
  await app.fileMail()
  await client.post(`/inboxes/${id}/labels`, { name: 'Fruit' })
  const content = Buffer.from('hello').toString('base64')
  const files = [{ filename: 'a.txt', content, content_type: 'text/plain' }]
  expect((await client.post(`/inboxes/${id}/drafts`, { subject: 'Draft', attachments: files })).status).toBe(201)

  const reply = await client.delete(`/inboxes/${id}`)
  expect(reply.body).toEqual({ object: 'inbox', id, deleted: true })
  expect((await client.get(`/inboxes/${id}/threads`)).status).toBe(404)
  await app.runDueJobs()

  for (const table of TABLES) {
    const [row] = await app.db.query<{ left: number }>(sql`
      select (xpath('//n/text()', query_to_xml(format('select count(*) as n from %I where team_id = %L', ${table}::text, ${client.team}::text), true, true, '')))[1]::text::int as left`)
    expect([table, row!.left]).toEqual([table, 0])
  }
  const loose = await app.db.query(sql`select key from loose_blobs where key like ${`%${client.team}%`}`)
  expect(loose).toHaveLength(1)
  expect((await client.get('/emails/receiving')).body.data).toHaveLength(2)
  const told = (await client.events()).filter(({ type }) => type === 'inbox.deleted')
  expect(told).toMatchObject([{ data: { source: 'api', inbox_id: id } }])
})

test('a team empties its trash earlier than others, or later', async () => {
  const app = await startApp()
  const teams = await Promise.all(['acme', 'globex', 'initech'].map((name) => inboxOf(app, name)))
  for (const { client, id, address } of teams) {
    await bringMail(app.db, client.team, [{ receivedFor: [address], subject: 'Old', messageId: '<old@x.test>' }])
    await app.fileMail()
    const [thread] = await threadsIn(app, client, id)
    await client.delete(`/inboxes/${id}/threads/${thread!.id}`)
  }
  const [acme, globex] = teams.map(({ client }) => client.team)
  await writeOwnPeriods(app.db, acme!, { by: 'owner', changes: { trash: 7 * 86_400 } })
  await writeOwnPeriods(app.db, globex!, { by: 'operator', changes: { trash: Number.POSITIVE_INFINITY } })
  const left = async () => {
    await app.db.query(sql`delete from jobs where key = 'recurring'`)
    await ensureRecurring(app.db, [sweepTrash])
    await app.runDueJobs()
    const threads = await Promise.all(teams.map(({ client, id }) => threadsIn(app, client, id)))
    return threads.map((own) => own.length)
  }

  app.clock.advance(8 * 86_400)
  expect(await left()).toEqual([0, 1, 1])
  app.clock.advance(23 * 86_400)
  expect(await left()).toEqual([0, 1, 0])
})

test('what is in the trash for 30 days is gone, and what was taken out of it is not', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  await bringMail(
    app.db,
    client.team,
    ['Old', 'Restored', 'Kept'].map((subject) => ({
      receivedFor: [address],
      subject,
      messageId: `<${subject}@x.test>`,
    })),
  )
  await app.fileMail()
  const threads = await threadsIn(app, client, id)
  const [old, restored] = ['Old', 'Restored'].map((subject) => threads.find((one) => one.subject === subject)!)
  for (const { id: thread } of [old!, restored!]) await client.delete(`/inboxes/${id}/threads/${thread}`)
  const draft = { subject: 'Re', thread_id: old!.id, reply_to_email_id: old!.newest_id }
  expect((await client.post(`/inboxes/${id}/drafts`, draft)).status).toBe(201)
  const sweep = async () => {
    await app.db.query(sql`delete from jobs where key = 'recurring'`)
    await ensureRecurring(app.db, [sweepTrash])
    await app.runDueJobs()
  }

  app.clock.advance(29 * 86_400)
  await sweep()
  expect(await threadsIn(app, client, id)).toHaveLength(3)
  await client.patch(`/inboxes/${id}/threads/${restored!.id}`, { folder: 'inbox' })
  app.clock.advance(2 * 86_400)
  await sweep()

  expect((await threadsIn(app, client, id)).map(({ subject }) => subject).sort()).toEqual(['Kept', 'Restored'])
  expect((await messagesIn(app, client, id)).map(({ subject }) => subject).sort()).toEqual(['Kept', 'Restored'])
  expect((await client.get(`/inboxes/${id}`)).body).toMatchObject({ unread: 2, drafts: 0 })
  expect((await client.get('/emails/receiving')).body.data).toHaveLength(3)
  // An answer to what is gone begins anew.
  await bringMail(app.db, client.team, [{ receivedFor: [address], subject: 'Late', references: ['<Old@x.test>'] }])
  await app.fileMail()
  expect(await threadsIn(app, client, id)).toHaveLength(3)
})
