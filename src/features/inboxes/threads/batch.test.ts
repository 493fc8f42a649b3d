import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { addThread, makeInbox, wrongCounts } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { MAX_BATCH_THREADS } from './schema.ts'

async function startWithThreads(count: number) {
  const app = await startApp()
  const acme = await app.as('acme')
  const inbox = await makeInbox(acme)
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await addThread(app, inbox)).id)
  return { app, acme, inbox, ids, batch: (body: object) => acme.post(`${inbox.path}/threads/batch`, body) }
}

test('many threads are moved, read, labelled and assigned in one call, with an event for each', async () => {
  const { app, acme, inbox, ids, batch } = await startWithThreads(3)
  const { id: label } = (await acme.post(`${inbox.path}/labels`, { name: 'Bug' })).body
  const { email } = await app.person('acme', 'developer')

  const { status, body } = await batch({
    ...{ ids, folder: 'archive', read: true, assignee_email: email, add_labels: [label] },
  })

  expect(status).toBe(200)
  expect(body.errors).toEqual([])
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids)
  for (const thread of body.data)
    expect(thread).toMatchObject({ folder: 'archive', read: true, assignee_email: email, labels: [{ name: 'Bug' }] })
  expect((await acme.get(inbox.path)).body.unread).toBe(0)
  expect(await wrongCounts(app, inbox)).toEqual([])
  const told = (await acme.events()).filter(({ type }) => type.startsWith('inbox.thread.')).map(({ type }) => type)
  for (const type of ['folder.updated', 'read.updated', 'labels.updated', 'assigned'])
    expect(told.filter((one) => one === `inbox.thread.${type}`)).toHaveLength(3)

  await batch({ ids, remove_labels: [label], read: false })
  const { body: back } = await batch({ ids, folder: 'inbox' })
  for (const thread of back.data) expect(thread).toMatchObject({ folder: 'inbox', read: false, labels: [] })
  expect((await acme.get(inbox.path)).body.unread).toBe(3)
})

test('unknown threads are reported, and the others changed', async () => {
  const { app, acme, inbox, ids, batch } = await startWithThreads(2)
  const others = await makeInbox(acme, 'other')
  const { id: elsewhere } = await addThread(app, others)
  const unknown = newId()

  const { body } = await batch({ ids: [ids[0], unknown, elsewhere, ids[1], ids[0]], folder: 'trash' })

  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(body.errors).toEqual([
    { index: 1, id: unknown, message: 'Thread not found' },
    { index: 2, id: elsewhere, message: 'Thread not found' },
  ])
  expect((await acme.get(`${others.path}/threads/${elsewhere}`)).body.folder).toBe('inbox')
  expect((await acme.get(`${inbox.path}/threads?folders=trash`)).body.data).toHaveLength(2)
})

test('a merged thread is found by either id', async () => {
  const { app, acme, inbox, ids, batch } = await startWithThreads(1)
  const old = newId()
  await app.db.query(sql`
    insert into merged_inbox_threads (team_id, inbox_id, id, into_id) values (${acme.team}, ${inbox.id}, ${old}, ${ids[0]!})`)

  const { body } = await batch({ ids: [old, ids[0]], folder: 'spam' })

  expect(body).toMatchObject({ data: [{ id: ids[0], folder: 'spam' }], errors: [] })
})

test('a request that is invalid as a whole changes nothing', async () => {
  const { acme, inbox, ids, batch } = await startWithThreads(1)

  expect((await batch({ ids, folder: 'archive', add_labels: [newId()] })).status).toBe(404)
  expect((await batch({ ids, folder: 'archive', assignee_email: 'nobody@example.net' })).status).toBe(422)
  expect((await batch({ ids: [], folder: 'archive' })).status).toBe(422)
  expect((await batch({ ids: Array.from({ length: MAX_BATCH_THREADS + 1 }, newId), read: true })).status).toBe(422)
  expect((await acme.get(`${inbox.path}/threads`)).body.data).toMatchObject([{ folder: 'inbox', read: false }])
})
