import { describe, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { arrive, RICH, receivingDomain } from '../../../../test/harness/arriving.ts'
import { arriveAll, inboxOf, messagesIn, partition, receive, threadsIn } from '../../../../test/harness/filed-mail.ts'
import { wrongCounts } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { fileNow } from './now.ts'

test('mail for an inbox becomes a thread, and an answer to it goes there, too', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')

  const [first, second] = await receive(
    app,
    address,
    { subject: 'Invoice', id: '<one@example.net>', body: 'Where is it?\r\n' },
    { subject: 'Something else', id: '<two@example.net>', inReplyTo: '<one@example.net>' },
  )

  expect(await messagesIn(app, client, id)).toMatchObject([
    { id: first, direction: 'inbound', subject: 'Invoice', snippet: 'Where is it?' },
    { id: second, direction: 'inbound', subject: 'Something else' },
  ])
  const [thread, ...others] = await threadsIn(app, client, id)
  expect(others).toEqual([])
  expect(thread).toMatchObject({
    ...{ subject: 'Invoice', folder: 'inbox', traffic: 'inbound', emails: 2, unread: 2 },
    ...{ newest_id: second, shown_id: second },
  })
  expect((await client.get(`/inboxes/${id}`)).body).toMatchObject({ unread: 1, last_received: expect.any(String) })
  const events = (await client.events()).filter(({ type }) => type.startsWith('inbox.'))
  expect(events.map(({ type }) => type)).toEqual([
    'inbox.created',
    'inbox.thread.created',
    'inbox.email.received',
    'inbox.email.received',
  ])
  expect(events[2]!.data).toMatchObject({
    source: 'system',
    inbox_id: id,
    thread_id: thread!.id,
    thread: { object: 'inbox_thread', id: thread!.id, subject: 'Invoice', folder: 'inbox', read: false },
    email_id: first,
    email: { id: first, direction: 'inbound', from: 'Ada <ada@example.net>', message_id: '<one@example.net>' },
  })
})

describe('one subject', () => {
  const DAY = 86_400_000
  const BEGIN = Date.parse('2026-09-07T08:00:00Z')
  const on = (day: number) => new Date(BEGIN + day * DAY)

  test('that comes each week is a thread each week, in whatever order', async () => {
    const app = await startApp()
    const { client, id, address } = await inboxOf(app, 'acme')
    const reports = [0, 2, 1, 3].map((week) => ({
      ...{ subject: 'Weekly report', id: `<report-${week}@example.net>`, date: on(week * 7) },
    }))
    const answers = [1, 0].map((week) => ({
      ...{ subject: '[list] Re: Weekly report', references: [`<report-${week}@example.net>`], date: on(week * 7 + 5) },
    }))

    await receive(app, address, ...reports.slice(0, 2), ...answers)
    await receive(app, address, ...reports.slice(2))

    expect((await threadsIn(app, client, id)).map(({ emails }) => emails).sort()).toEqual([1, 1, 2, 2])
  })

  test('of an answer without references leads to the question, and Outlook’s index where the subject has changed', async () => {
    const app = await startApp()
    const { client, id, address } = await inboxOf(app, 'acme')
    const index = (answers: number) => Buffer.alloc(22 + 5 * answers, 7).toString('base64')
    const outlook = (answers: number) => ['Thread-Topic: Offer', `Thread-Index: ${index(answers)}`]

    await receive(
      app,
      address,
      { subject: 'AW: [board] Agenda', date: on(20) },
      { subject: 'Offer', headers: outlook(0), date: on(0) },
    )
    await receive(
      app,
      address,
      { subject: 'Agenda', date: on(0) },
      { subject: 'Agreed', headers: outlook(1), date: on(50) },
    )

    expect((await threadsIn(app, client, id)).map(({ emails }) => emails)).toEqual([2, 2])
  })
})

describe('the inboxes of a message', () => {
  test('are those of the addresses that it was received for, whatever the case and behind a plus', async () => {
    const app = await startApp()
    const { client, id, domain } = await inboxOf(app, 'acme')
    const { body: sales } = await client.post('/inboxes', { email_address: `sales@${domain}` })

    await receive(app, [`SUPPORT+vip@${domain}`, `sales@${domain}`], { subject: 'For both' })
    await receive(app, `nobody@${domain}`, { subject: 'For none' })

    expect(await messagesIn(app, client, id)).toMatchObject([{ subject: 'For both' }])
    expect(await messagesIn(app, client, sales.id)).toMatchObject([{ subject: 'For both' }])
    const [[one], [other]] = [await threadsIn(app, client, id), await threadsIn(app, client, sales.id)]
    expect(one!.id).not.toBe(other!.id)
  })

  test('are of one team alone', async () => {
    const app = await startApp()
    const { id, address } = await inboxOf(app, 'acme')
    const globex = await app.as('globex')
    await receivingDomain(globex)

    await receive(app, address, {})

    expect(await messagesIn(app, globex, id)).toEqual([])
  })

  test('with a tag come before those without', async () => {
    const app = await startApp()
    const { client, id, domain } = await inboxOf(app, 'acme')
    const { body: vip } = await client.post('/inboxes', { email_address: `support+vip@${domain}` })

    await receive(app, `support+vip@${domain}`, { subject: 'Important' })

    expect(await messagesIn(app, client, id)).toEqual([])
    expect(await messagesIn(app, client, vip.id)).toMatchObject([{ subject: 'Important' }])
  })
})

describe('mail that is sent', () => {
  test('from the address of an inbox is there at once, read, and answers find it', async () => {
    const app = await startApp()
    const { client, id, address } = await inboxOf(app, 'acme')

    const sent = await client.post('/emails', {
      ...{ from: `Acme <${address}>`, to: 'ada@example.net', subject: 'Your order', text: 'It is on its way.' },
    })
    await fileNow(app.services, client.team)

    const [outbound] = await threadsIn(app, client, id)
    expect(outbound).toMatchObject({ traffic: 'outbound', subject: 'Your order', unread: 0, newest_id: sent.body.id })
    const { message_id } = (await client.get(`/emails/${sent.body.id}`)).body

    const [answer] = await receive(app, address, { subject: 'Thanks', references: [message_id] })

    expect(await threadsIn(app, client, id)).toMatchObject([
      { id: outbound!.id, traffic: 'both', emails: 2, unread: 1, newest_id: answer, shown_id: answer },
    ])
    const told = (await client.events()).filter(({ type }) => type === 'inbox.email.sent')
    expect(told).toMatchObject([
      { data: { source: 'api', inbox_id: id, email: { direction: 'outbound', read: true } } },
    ])
  })

  test('from another address, and copies of broadcasts, are in no inbox', async () => {
    const app = await startApp()
    const { client, id, domain } = await inboxOf(app, 'acme')

    await client.post('/emails', { from: `news@${domain}`, to: 'ada@example.net', subject: 'News', text: 'Hi' })
    await app.fileMail()

    expect(await messagesIn(app, client, id)).toEqual([])
    const [waiting] = await app.db.query(sql`select from unfiled_mail where team_id = ${client.team}`)
    expect(waiting).toBeUndefined()
  })

  test('with the headers of an answer is in the thread of what it answers', async () => {
    const app = await startApp()
    const { client, id, address } = await inboxOf(app, 'acme')
    await receive(app, address, { id: '<question@example.net>', subject: 'A question' })

    await client.post('/emails', {
      ...{ from: address, to: 'ada@example.net', subject: 'An answer', text: 'Yes.' },
      headers: { 'in-reply-to': '<question@example.net>' },
    })
    await app.fileMail()

    expect(await threadsIn(app, client, id)).toMatchObject([{ emails: 2, traffic: 'both', subject: 'A question' }])
  })
})

test('a message that shows that two threads are one merges them, and leads there who has the old id', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const letters = [
    { id: '<a@x.test>', subject: 'Apples', from: 'a@x.test' },
    { id: '<a2@x.test>', subject: 'More apples', from: 'a@x.test', inReplyTo: '<a@x.test>' },
    { id: '<b@x.test>', subject: 'Pears', from: 'b@x.test', date: new Date('2026-11-10T00:00:00Z') },
  ]
  const ids = await receive(app, address, ...letters)
  const threads = await threadsIn(app, client, id)
  const [apples, pears] = ['Apples', 'Pears'].map((subject) => threads.find((one) => one.subject === subject))
  const { body: label } = await client.post(`/inboxes/${id}/labels`, { name: 'Fruit' })
  await client.post(`/inboxes/${id}/threads/${pears!.id}/labels`, { labels: [label.id] })
  await client.patch(`/inboxes/${id}/threads/${apples!.id}`, { folder: 'archive' })
  await client.post(`/inboxes/${id}/drafts`, { subject: 'Re', thread_id: pears!.id, reply_to_email_id: ids[2] })

  await receive(app, address, { id: '<c@x.test>', references: ['<a@x.test>', '<b@x.test>'], subject: 'Fruit' })

  expect(await threadsIn(app, client, id)).toMatchObject([
    // The oldest message gives the subject; nothing is lost that either of them had.
    { id: apples!.id, subject: 'Pears', emails: 4, unread: 4, folder: 'inbox', labels: [label.id], drafts: 1 },
  ])
  const { body: led } = await client.get(`/inboxes/${id}/threads/${pears!.id}`)
  expect(led).toMatchObject({ id: apples!.id })
  expect(await wrongCounts(app, { team: client.team, id })).toEqual([])
  expect((await client.get(`/inboxes/${id}`)).body).toMatchObject({ unread: 1, drafts: 1 })
  const moves = (await client.events()).filter(({ type }) => type === 'inbox.thread.folder.updated')
  expect(moves.at(-1)!.data).toMatchObject({ source: 'system', thread_id: apples!.id, from: 'archive', to: 'inbox' })
})

test('the same subject and person make a conversation, but not across a month', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const day = (number: number) => new Date(Date.UTC(2026, 8, number))

  const letters = [
    { subject: 'Offer', date: day(1) },
    { subject: 'AW: offer', date: day(20) },
    { subject: 'Offer', from: 'eve@example.net', date: day(20) },
    { subject: 'Re: Offer', date: day(60) },
    { subject: 'Fwd: Offer', date: day(72) },
  ]
  const ids = await receive(app, address, ...letters.map((one) => ({ ...one, to: address })))

  expect(partition(await messagesIn(app, client, id), ids)).toEqual([[0, 1], [2], [3, 4]])
})

test('a form that sends the mails of many people makes a conversation of each', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')
  const form = { from: 'form@example.net', to: address, subject: 'Contact form' }

  const ids = await receive(
    app,
    address,
    ...['ada@x.test', 'eve@x.test', 'ada@x.test'].map((replyTo) => ({ ...form, replyTo })),
  )

  expect(partition(await messagesIn(app, client, id), ids)).toEqual([[0, 2], [1]])
})

describe('new mail and folders', () => {
  const cases = [
    ['inbound', 'archive', 'inbox'],
    ['outbound', 'archive', 'archive'],
    ['inbound', 'spam', 'spam'],
    ['outbound', 'spam', 'inbox'],
    ['inbound', 'trash', 'inbox'],
    ['outbound', 'trash', 'inbox'],
  ] as const

  test.each(cases)('%s mail for a thread in %s puts it into %s', async (direction, from, to) => {
    const app = await startApp()
    const { client, id, address } = await inboxOf(app, 'acme')
    await receive(app, address, { id: '<first@x.test>' })
    const [thread] = await threadsIn(app, client, id)
    await client.patch(`/inboxes/${id}/threads/${thread!.id}`, { folder: from })

    const answer = {
      from: address,
      to: 'ada@example.net',
      subject: 'x',
      text: 'x',
      headers: { References: '<first@x.test>' },
    }
    if (direction === 'outbound') await client.post('/emails', answer)
    await (direction === 'inbound' ? receive(app, address, { inReplyTo: '<first@x.test>' }) : app.fileMail())

    expect(await threadsIn(app, client, id)).toMatchObject([{ folder: to, emails: 2 }])
    const [row] = await app.db.query(sql`select trashed_at from inbox_threads where team_id = ${client.team}`)
    expect(row).toEqual({ trashed_at: null })
    const moves = (await client.events()).filter(({ type }) => type === 'inbox.thread.folder.updated')
    expect(moves.slice(1).map(({ data }) => [data.source, data.from, data.to])).toEqual(
      from === to ? [] : [['system', from, to]],
    )
  })
})

test('images that the html shows are no attachments', async () => {
  const app = await startApp()
  const { client, id, domain } = await inboxOf(app, 'acme')

  await arrive(app, RICH, { to: [`support@${domain}`] })
  await app.runDueJobs()
  await app.fileMail()

  const [message] = await app.db.query(sql`
    select attachments, snippet from inbox_messages where team_id = ${client.team} and inbox_id = ${id}`)
  expect(message).toMatchObject({
    attachments: [{ filename: 'notes.txt', content_type: 'text/plain' }],
    snippet: 'Grüße',
  })
  expect(await threadsIn(app, client, id)).toMatchObject([{ with_attachment: 1 }])
})

test('a date in the future or from before there was mail is not believed', async () => {
  const app = await startApp()
  const { client, id, address } = await inboxOf(app, 'acme')

  await receive(
    app,
    address,
    { date: new Date('2036-01-01') },
    { date: new Date('1971-01-01') },
    { date: new Date('2026-11-01') },
  )

  const rows = await app.db.query<{ sent_at: Date; created_at: Date }>(sql`
    select sent_at, created_at from inbox_messages where team_id = ${client.team} and inbox_id = ${id} order by id`)
  expect(rows.map(({ sent_at, created_at }) => sent_at.getTime() === created_at.getTime())).toEqual([true, true, false])
})

test('what arrived before its inbox was created is not there, and nothing waits for it', async () => {
  const app = await startApp()
  const client = await app.as('acme')
  const { domain } = await receivingDomain(client)
  await arriveAll(app, `support@${domain}`, [{}])
  await app.runDueJobs()

  const { body } = await client.post('/inboxes', { email_address: `support@${domain}` })
  await app.fileMail()

  expect(await messagesIn(app, client, body.id)).toEqual([])
})
