import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { newId } from '../../../../test/harness/ids.ts'
import { addThread, makeInbox } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { MOST_LABELS_OF_INBOX } from './schema.ts'

async function startWithInbox() {
  const app = await startApp()
  const acme = await app.as('acme')
  const inbox = await makeInbox(acme)
  const labels = `${inbox.path}/labels`
  return {
    ...{ app, acme, inbox, labels },
    label: async (name: string, color?: string): Promise<string> =>
      (await acme.post(labels, { name, ...(color && { color }) })).body.id,
    named: async () => (await acme.get(labels)).body.data,
  }
}

test('an inbox has labels with a name and a color, in the order of their names', async () => {
  const { label, named } = await startWithInbox()
  const [urgent, bug, any] = [
    await label('urgent', '#e93d82'),
    await label('Bug', 'grass'),
    await label('Question 質問 ❓'),
  ]

  expect(await named()).toEqual([
    { id: bug, name: 'Bug', color: '#46A758', created_at: expect.stringMatching(/Z$/) },
    { id: any, name: 'Question 質問 ❓', color: '#8E8C99', created_at: expect.any(String) },
    { id: urgent, name: 'urgent', color: '#E93D82', created_at: expect.any(String) },
  ])
})

test('a label is changed where it is named, and nowhere else', async () => {
  const { acme, labels, label, named } = await startWithInbox()
  const id = await label('Bug', 'cyan')

  expect((await acme.patch(`${labels}/${id}`, { name: 'Bugs' })).body).toEqual({ object: 'inbox_label', id })
  expect(await named()).toMatchObject([{ id, name: 'Bugs', color: '#00A2C7' }])
  await acme.patch(`${labels}/${id}`, { color: 'plum' })
  await acme.patch(`${labels}/${id}`, { name: 'BUGS' })
  expect(await named()).toMatchObject([{ id, name: 'BUGS', color: '#AB4ABA' }])
})

test('no two labels of an inbox have one name, in whatever case, also not when both come at once', async () => {
  const { acme, labels, label } = await startWithInbox()
  await label('Bug')
  const idea = await label('Idea')

  const taken = { statusCode: 422, message: 'Invalid `name` field. There is a label of this name already.' }
  expect((await acme.post(labels, { name: 'bug' })).body).toMatchObject(taken)
  expect((await acme.patch(`${labels}/${idea}`, { name: 'BUG' })).body).toMatchObject(taken)
  const both = await Promise.all([acme.post(labels, { name: 'New' }), acme.post(labels, { name: 'new' })])
  expect(both.map(({ status }) => status).sort()).toEqual([201, 422])
  const other = await makeInbox(acme, 'sales')
  expect((await acme.post(`${other.path}/labels`, { name: 'Bug' })).status).toBe(201)
})

test.each([
  { name: '' },
  { name: 'x'.repeat(65) },
  { name: 'Bug', color: 'red' },
  { name: 'Bug', color: '#12345' },
  {},
])('a label is not made of %o', async (body) => {
  const { acme, labels } = await startWithInbox()

  expect((await acme.post(labels, body)).status).toBe(422)
})

test(`an inbox has at most ${MOST_LABELS_OF_INBOX} labels`, async () => {
  const { app, acme, inbox, labels } = await startWithInbox()
  await app.db.query(sql`
    insert into inbox_labels (team_id, inbox_id, id, name, color, created_at, updated_at)
    select ${acme.team}, ${inbox.id}, gen_random_uuid(), 'Label ' || n, '#000000', now(), now()
    from generate_series(1, ${MOST_LABELS_OF_INBOX - 1}) n`)

  const answers = await Promise.all(['a', 'b', 'c'].map((name) => acme.post(labels, { name })))

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
})

test('labels of a thread are added, replaced and removed, and each change is told with what it changed', async () => {
  const { app, acme, inbox, label } = await startWithInbox()
  const [bug, idea, spam] = [await label('Bug', 'iris'), await label('Idea', 'lime'), await label('Spam', 'teal')]
  const { id } = await addThread(app, inbox)
  const path = `${inbox.path}/threads/${id}/labels`
  const put = (labels: string[]) => acme.send({ method: 'PUT', url: path, payload: { labels } })
  const [shownBug, shownIdea, shownSpam] = [
    { id: bug, name: 'Bug', color: '#5B5BD6' },
    { id: idea, name: 'Idea', color: '#BDEE63' },
    { id: spam, name: 'Spam', color: '#12A594' },
  ]

  const answers = [
    await acme.post(path, { labels: [idea, bug.toUpperCase(), bug] }),
    await acme.post(path, { labels: [bug] }),
    await put([spam, idea]),
    await put([idea, spam]),
    await acme.delete(`${path}/${spam}`),
    await acme.delete(`${path}/${spam}`),
    await put([]),
  ]

  expect(answers.map(({ body }) => body)).toEqual(
    [
      [shownBug, shownIdea],
      [shownBug, shownIdea],
      [shownIdea, shownSpam],
      [shownIdea, shownSpam],
      [shownIdea],
      [shownIdea],
      [],
    ].map((data) => ({ object: 'list', data })),
  )
  const events = (await acme.events()).filter(({ type }) => type === 'inbox.thread.labels.updated')
  expect(
    events.map(({ data: { source, thread, added, removed } }) => ({ source, thread, added, removed })),
  ).toMatchObject([
    { source: 'api', thread: { id, labels: [shownBug, shownIdea] }, added: [shownBug, shownIdea], removed: [] },
    { added: [shownSpam], removed: [shownBug] },
    { added: [], removed: [shownSpam] },
    { added: [], removed: [shownIdea] },
  ])
})

test('only labels of its own inbox go on a thread, one to ten at a time', async () => {
  const { app, acme, inbox, label } = await startWithInbox()
  const { id } = await addThread(app, inbox)
  const path = `${inbox.path}/threads/${id}/labels`
  const other = await makeInbox(acme, 'sales')
  const foreign = (await acme.post(`${other.path}/labels`, { name: 'Bug' })).body.id
  const bug = await label('Bug')

  for (const labels of [[], Array.from({ length: 11 }, () => bug), ['bug'], [bug, 7], 'bug'])
    expect((await acme.post(path, { labels })).status).toBe(422)
  for (const labels of [[newId()], [bug, foreign]])
    expect((await acme.post(path, { labels })).body).toMatchObject({ statusCode: 404, message: 'Label not found' })
  expect((await acme.delete(`${path}/${foreign}`)).status).toBe(404)
  expect((await acme.patch(`${inbox.path}/labels/${foreign}`, { name: 'Mine' })).status).toBe(404)
  expect((await acme.delete(`${inbox.path}/labels/${foreign}`)).status).toBe(404)
  expect((await acme.get(`${inbox.path}/threads/${id}`)).body.labels).toEqual([])
})

test('a label that is deleted is gone from all threads at once, and from their rows soon', async () => {
  const { app, acme, inbox, labels, label } = await startWithInbox()
  const [bug, idea] = [await label('Bug'), await label('Idea')]
  const { id } = await addThread(app, inbox)
  const path = `${inbox.path}/threads/${id}`
  await acme.post(`${path}/labels`, { labels: [bug, idea] })

  expect((await acme.delete(`${labels}/${bug}`)).body).toEqual({ object: 'inbox_label', id: bug, deleted: true })

  expect((await acme.delete(`${labels}/${bug}`)).status).toBe(404)
  expect((await acme.get(path)).body.labels).toMatchObject([{ id: idea }])
  expect((await acme.get(`${inbox.path}/threads?labels=${bug}`)).status).toBe(404)
  await app.runDueJobs()
  expect(await app.db.query(sql`select labels from inbox_threads where team_id = ${acme.team}`)).toEqual([
    { labels: [idea] },
  ])
})
