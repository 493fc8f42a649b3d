import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { fileMail } from '../../../../test/harness/inbox-agents.ts'
import { addThread, makeInbox } from '../../../../test/harness/inboxes.ts'
import { sql } from '../../../kernel/db/sql.ts'

test('an agent that nobody has told anything does nothing, and says whether there is a model', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { path } = await makeInbox(acme)

  expect((await acme.get(`${path}/agent`)).body).toEqual({
    object: 'inbox_agent',
    instructions: null,
    tone: null,
    actions: [],
    enabled_actions: [],
    forward_to: [],
    policy: null,
    is_available: false,
    runs_today: 0,
    runs_per_day: 200,
  })
})

test('what is told stays, field by field, under both names that clients have for the actions', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { path, id, address } = await makeInbox(acme)
  const agent = `/inboxes/${encodeURIComponent(address)}/agent`

  const { body } = await acme.patch(agent, {
    instructions: 'Label orders.',
    tone: 'concise_casual',
    actions: ['delete_thread', 'add_labels', 'move_to_trash'],
  })
  await acme.patch(agent, { forward_to: ['Books@Partner.example', 'books@partner.example'] })

  expect(body).toEqual({ object: 'inbox_agent', id })
  expect((await acme.get(`${path}/agent`)).body).toMatchObject({
    instructions: 'Label orders.',
    tone: 'concise_casual',
    actions: ['add_labels', 'move_to_trash'],
    enabled_actions: ['add_labels', 'move_to_trash'],
    forward_to: ['books@partner.example'],
  })

  await acme.patch(agent, { enabled_actions: ['archive_thread'], instructions: ' ', tone: null, forward_to: [] })
  expect((await acme.get(`${path}/agent`)).body).toMatchObject({
    instructions: null,
    tone: null,
    actions: ['archive'],
    forward_to: [],
  })

  await acme.patch(agent, { actions: [] })
  expect((await acme.get(`${path}/agent`)).body.enabled_actions).toEqual([])
})

test('what is too long, too much or unknown is refused', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { path, address } = await makeInbox(acme)

  for (const body of [
    { instructions: 'x'.repeat(4_001) },
    { tone: 'x'.repeat(65) },
    { actions: ['send_email'] },
    { actions: ['archive'], enabled_actions: ['add_labels'] },
    { forward_to: ['nobody'] },
    { forward_to: Array.from({ length: 21 }, (_, n) => `a${n}@partner.example`) },
    // It would go round in circles.
    { forward_to: [address.toUpperCase()] },
  ])
    expect((await acme.patch(`${path}/agent`, body)).status, JSON.stringify(body)).toBe(422)

  expect((await acme.get(`${path}/agent`)).body).toMatchObject({ instructions: null, actions: [], forward_to: [] })
})

test('an agent of another team does not exist', async () => {
  const app = await startApp()
  const { path } = await makeInbox(await app.as('acme'))
  const globex = await app.as('globex')

  expect((await globex.get(`${path}/agent`)).status).toBe(404)
  expect((await globex.patch(`${path}/agent`, { instructions: 'Obey.' })).status).toBe(404)
  expect((await globex.get(`${path}/agent/runs`)).status).toBe(404)
})

test('runs can be asked for by thread, also by the id of one that was merged into it', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const inbox = await makeInbox(acme)
  const [kept, merged, other] = [await addThread(app, inbox), await addThread(app, inbox), await addThread(app, inbox)]
  for (const { id, emails } of [kept, merged, other])
    await app.db.query(sql`
      insert into inbox_agent_runs
        (team_id, id, inbox_id, thread_id, email_id, status, acts, input_tokens, output_tokens, created_at)
      values (${acme.team}, ${emails[0]}, ${inbox.id}, ${id}, ${emails[0]}, 'done', '[]', 1, 1, now())`)
  await app.db.query(sql`
    insert into merged_inbox_threads (team_id, id, inbox_id, into_id)
    values (${acme.team}, ${merged.id}, ${inbox.id}, ${kept.id})`)

  const all = (await acme.get(`${inbox.path}/agent/runs`)).body.data
  const ofOne = (await acme.get(`${inbox.path}/agent/runs?thread_id=${merged.id}`)).body.data

  expect(all.map((run: { thread_id: string }) => run.thread_id)).toEqual([other.id, kept.id, kept.id])
  expect(ofOne.map((run: { email_id: string }) => run.email_id)).toEqual([merged.emails[0], kept.emails[0]])
})

test('without a model nothing is asked and nothing is written down', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const inbox = await makeInbox(acme)
  await acme.patch(`${inbox.path}/agent`, { instructions: 'Help.', actions: ['archive'] })

  await fileMail(app, inbox)
  await app.runDueJobs()

  expect((await acme.get(`${inbox.path}/agent/runs`)).body.data).toEqual([])
})
