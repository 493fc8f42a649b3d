import { describe, expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { addThread, type MadeInbox, makeInbox, wrongCounts } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'

async function startWithInbox() {
  const app = await startApp()
  const acme = await app.as('acme')
  return { app, acme, inbox: await makeInbox(acme) }
}

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

const listed = async (client: Client, { path }: MadeInbox, query = '') =>
  idsOf((await client.get(`${path}/threads${query}`)).body)

const received = { direction: 'inbound' } as const
const sent = { direction: 'outbound' } as const

async function threadEvents(client: Client) {
  const events = await client.events()
  return events.filter(({ type }) => type.startsWith('inbox.thread.')).map(({ type, data }) => [type, data])
}

describe('the list of threads', () => {
  test('shows whom they are with, how they begin and what is in them', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const attachments = [{ id: newId(), filename: 'a.pdf', size: 1, content_type: 'application/pdf' }]
    const messages = [{ ...received, attachments }, sent]
    const { id } = await addThread(app, inbox, { messages, subject: 'Order' })

    const { body } = await acme.get(`${inbox.path}/threads`)

    expect(body).toEqual({
      object: 'list',
      has_more: false,
      data: [
        {
          id,
          subject: 'Order',
          from: 'Ada <ada@example.net>',
          to: ['desk@acme.example'],
          cc: [],
          bcc: [],
          labels: [],
          email_count: 2,
          has_attachment: true,
          has_draft: false,
          read: false,
          received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          folder: 'inbox',
          assignee_email: null,
          snippet: 'How it begins',
        },
      ],
    })
  })

  test('is found by the address of the inbox, too', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const { id } = await addThread(app, inbox)

    const { body } = await acme.get(`/inboxes/${encodeURIComponent(inbox.address.toUpperCase())}/threads`)

    expect(idsOf(body)).toEqual([id])
  })

  test('hides how mail begins from who may not read mail', async () => {
    const { app, acme, inbox } = await startWithInbox()
    await addThread(app, inbox)
    const viewer = await app.person('acme', 'viewer')
    await app.db.query(sql`update teams set hides_content = true where id = ${acme.team}`)

    const { body } = await viewer.get(`${inbox.path}/threads`)

    expect(body.data).toMatchObject([{ subject: 'Hello', snippet: '' }])
  })

  test('has a thread in each folder that shows it', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const add = async (
      folder: 'inbox' | 'archive' | 'spam' | 'trash',
      ...messages: (typeof received | typeof sent)[]
    ) => (await addThread(app, inbox, { folder, messages })).id
    const question = await add('inbox', received)
    const answered = await add('inbox', received, sent)
    const unanswered = await add('inbox', sent)
    const done = await add('archive', received)
    const doneAndAnswered = await add('archive', received, sent)
    const junk = await add('spam', received)
    const trash = await add('trash', sent)

    const folders = async (names: string) => listed(acme, inbox, `?folders=${names}`)
    expect(await listed(acme, inbox)).toEqual([answered, question])
    expect(await folders('')).toEqual([answered, question])
    expect(await folders('inbox')).toEqual([answered, question])
    expect(await folders('sent')).toEqual([doneAndAnswered, unanswered, answered])
    expect(await folders('archive')).toEqual([doneAndAnswered, done])
    expect(await folders('spam')).toEqual([junk])
    expect(await folders('trash')).toEqual([trash])
    expect(await folders('sent,inbox')).toEqual([doneAndAnswered, unanswered, answered, question])
    const all = (await acme.get(`${inbox.path}/threads?folders=inbox,archive,spam,sent,trash`)).body.data
    expect(all.map(({ folder }: { folder: string }) => folder)).toEqual(
      ['trash', 'spam', 'archive', 'archive', 'sent', 'inbox', 'inbox'], // the newest first
    )
  })

  test('can be narrowed to what is read or unread, and to labels', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const label = async (name: string) => (await acme.post(`${inbox.path}/labels`, { name })).body.id
    const [bug, idea] = [await label('Bug'), await label('Idea')]
    const unread = await addThread(app, inbox)
    const read = await addThread(app, inbox, { messages: [{ isRead: true }] })
    const old = await addThread(app, inbox, { folder: 'archive', messages: [{ isRead: true }] })
    for (const [thread, labels] of [
      [read, [bug, idea]],
      [old, [idea]],
    ] as const)
      await acme.post(`${inbox.path}/threads/${thread.id}/labels`, { labels })

    expect(await listed(acme, inbox, '?read=false')).toEqual([unread.id])
    expect(await listed(acme, inbox, '?read=true')).toEqual([read.id])
    expect(await listed(acme, inbox, `?labels=${idea}`)).toEqual([old.id, read.id])
    expect(await listed(acme, inbox, `?labels=${bug.toUpperCase()},${idea}`)).toEqual([old.id, read.id])
    expect(await listed(acme, inbox, `?labels=${bug}&read=false`)).toEqual([])
    expect(await listed(acme, inbox, `?labels=${idea}&folders=inbox`)).toEqual([read.id])
  })

  test.each([
    ['folders=inbox,drafts', 422],
    ['folders=%FF', 422],
    ['read=maybe', 422],
    ['labels=red', 422],
    [`labels=${Array.from({ length: 51 }, newId).join(',')}`, 422],
    [`labels=${newId()}`, 404],
  ])('?%s is refused', async (query, status) => {
    const { acme, inbox } = await startWithInbox()

    expect((await acme.get(`${inbox.path}/threads?${query}`)).status).toBe(status)
  })

  test('follows a thread that got mail, moved or became part of another while somebody pages', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const [first, second, third, fourth] = [
      await addThread(app, inbox),
      await addThread(app, inbox),
      await addThread(app, inbox),
      await addThread(app, inbox),
    ]
    const page = async (query: string) => listed(acme, inbox, `?limit=2&${query}`)
    expect(await page('')).toEqual([fourth.id, third.id])

    await acme.patch(`${inbox.path}/threads/${third.id}`, { folder: 'archive' })
    expect(await page(`after=${third.id}`)).toEqual([second.id, first.id])
    expect(await page(`before=${third.id}`)).toEqual([fourth.id])

    await merge(app, inbox, fourth.id, second.id)
    expect(await page(`after=${fourth.id}`)).toEqual([first.id])
    expect((await acme.get(`${inbox.path}/threads/${fourth.id}`)).body.id).toBe(second.id)
  })

  test('is of one inbox of one team', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const other = await makeInbox(acme, 'sales')
    const globex = await app.as('globex')
    const { id } = await addThread(app, other)

    expect(await listed(acme, inbox)).toEqual([])
    expect((await acme.get(`${inbox.path}/threads/${id}`)).body.message).toBe('Thread not found')
    expect((await globex.get(`${other.path}/threads`)).body.message).toBe('Inbox not found')
    expect((await globex.get(`/inboxes/${other.address}/threads/${id}`)).status).toBe(404)
  })
})

/** What filing does with a thread that turns out to be part of another. */
async function merge({ db }: App, { team, id: inbox }: MadeInbox, from: string, into: string) {
  await db.transaction(async (trx) => {
    await trx.query(sql`
      update inbox_messages set thread_id = ${into} where team_id = ${team} and inbox_id = ${inbox} and thread_id = ${from}`)
    await trx.query(sql`delete from inbox_threads where team_id = ${team} and id = ${from}`)
    await trx.query(sql`
      insert into merged_inbox_threads (team_id, id, inbox_id, into_id) values (${team}, ${from}, ${inbox}, ${into})`)
  })
}

describe('a thread', () => {
  test('is moved, which is told once with where it was and where it is', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const { id } = await addThread(app, inbox)
    const path = `${inbox.path}/threads/${id}`

    const moved = (await acme.patch(path, { folder: 'archive' })).body
    await acme.patch(path, { folder: 'archive' })

    const thread = {
      ...{ object: 'inbox_thread', id, subject: 'Hello', folder: 'archive' },
      ...{ labels: [], read: false, assignee_email: null },
    }
    expect(moved).toEqual(thread)
    expect((await acme.get(path)).body).toEqual(thread)
    expect(await threadEvents(acme)).toEqual([
      [
        'inbox.thread.folder.updated',
        { source: 'api', inbox_id: inbox.id, thread_id: id, thread, from: 'inbox', to: 'archive' },
      ],
    ])
  })

  test('goes to the trash when it is deleted, and comes back when it is moved', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const { id } = await addThread(app, inbox)
    const path = `${inbox.path}/threads/${id}`
    const trashedAt = async () =>
      (await app.db.query<{ at: Date | null }>(sql`select trashed_at as at from inbox_threads where id = ${id}`))[0]!.at

    expect((await acme.delete(path)).body).toEqual({ object: 'inbox_thread', id, deleted: true })
    expect((await acme.delete(path)).body).toEqual({ object: 'inbox_thread', id, deleted: false })
    expect(await trashedAt()).toEqual(app.clock.now())
    expect((await acme.get(path)).body.folder).toBe('trash')

    await acme.patch(path, { folder: 'inbox' })
    expect(await trashedAt()).toBeNull()
    expect(await listed(acme, inbox)).toEqual([id])
  })

  test('is unread as long as one of its emails is, and the inbox counts it once', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const { id } = await addThread(app, inbox, { messages: [received, received, sent] })
    const path = `${inbox.path}/threads/${id}`
    const unread = async () => (await acme.get(inbox.path)).body.unread
    const readOnes = async () => (await acme.get(`${path}/emails`)).body.data.map(({ read }: { read: boolean }) => read)
    expect(await unread()).toBe(1)

    expect((await acme.patch(path, { read: true })).body.read).toBe(true)
    expect([await unread(), await readOnes()]).toEqual([0, [true, true, true]])

    expect((await acme.patch(path, { read: false })).body.read).toBe(false)
    expect([await unread(), await readOnes()]).toEqual([1, [true, false, true]])

    await acme.patch(path, { read: false, folder: 'spam' })
    expect(await unread()).toBe(0)
    expect(await wrongCounts(app, inbox)).toEqual([])
    // Other browsers that show the inbox hear of each change, and of nothing else.
    const told = (await threadEvents(acme)).filter(([type]) => type === 'inbox.thread.read.updated')
    expect(told.map(([, data]) => data.thread.read)).toEqual([true, false])
  })

  test('that was only sent can be marked as unread, too', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const { id } = await addThread(app, inbox, { messages: [sent] })

    expect((await acme.patch(`${inbox.path}/threads/${id}`, { read: false })).body).toMatchObject({
      read: false,
      folder: 'sent',
    })
  })

  test('is given to a member of the team, and to nobody else', async () => {
    const { app, acme, inbox } = await startWithInbox()
    const [ada, bob] = [await app.person('acme', 'developer'), await app.person('acme', 'viewer')]
    const stranger = await app.person('globex', 'owner')
    const { id } = await addThread(app, inbox)
    const path = `${inbox.path}/threads/${id}`

    for (const wrong of [stranger.email, 'nobody@example.com', ''])
      expect((await acme.patch(path, { assignee_email: wrong, folder: 'spam' })).body).toMatchObject({
        statusCode: 422,
        message: expect.stringContaining('assignee_email'),
      })
    expect((await bob.patch(path, { assignee_email: bob.email })).status).toBe(403)
    await ada.patch(path, { assignee_email: bob.email.toUpperCase() })
    await acme.patch(path, { assignee_email: bob.email })
    await acme.patch(path, { assignee_email: ada.email })
    const { body } = await acme.patch(path, { assignee_email: null })
    await acme.patch(path, { assignee_email: null })

    expect(body).toMatchObject({ assignee_email: null, folder: 'inbox' })
    expect(await threadEvents(acme)).toMatchObject([
      [
        'inbox.thread.assigned',
        {
          source: 'dashboard',
          thread: { assignee_email: bob.email },
          assignee_email: bob.email,
          assigned_by_email: ada.email,
          previous_assignee_email: null,
        },
      ],
      [
        'inbox.thread.assigned',
        {
          source: 'api',
          assignee_email: ada.email,
          assigned_by_email: null,
          previous_assignee_email: bob.email,
        },
      ],
      ['inbox.thread.unassigned', { source: 'api', previous_assignee_email: ada.email }],
    ])
  })

  test.each([{ folder: 'sent' }, { folder: 'drafts' }, { read: 'yes' }, { assignee_email: 7 }])(
    'cannot become %o',
    async (change) => {
      const { app, acme, inbox } = await startWithInbox()
      const { id } = await addThread(app, inbox)

      expect((await acme.patch(`${inbox.path}/threads/${id}`, change)).status).toBe(422)
    },
  )
})
