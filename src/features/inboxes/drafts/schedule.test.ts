import { expect, test } from 'vitest'
import { startDesk, startSendingDesk } from '../../../../test/harness/answering.ts'
import type { Client } from '../../../../test/harness/app.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { sendScheduledDraft } from './schedule.ts'

const FILE = { filename: 'notes.txt', content: Buffer.from('hello').toString('base64'), content_type: 'text/plain' }
const COMPLETE = { to: 'ada@sink.dev', subject: 'Hello', html: '<p>Dear Ada</p>', attachments: [FILE] }

const countEmails = async (client: Client) => (await client.get('/emails?limit=100')).body.data.length

async function scheduled(desk: { acme: Client; path: string }, request: object = {}) {
  const { body: draft } = await desk.acme.post(`${desk.path}/drafts`, COMPLETE)
  const path = `${desk.path}/drafts/${draft.id}`
  const { body: before } = await desk.acme.get(path)
  const reply = await desk.acme.post(`${path}/schedule`, request)
  return { id: draft.id as string, path, before, reply }
}

test('a scheduled draft is sent when it is due, by any process', async () => {
  const desk = await startSendingDesk()
  const { app, acme } = desk
  const { path, reply } = await scheduled(desk)

  expect(reply).toMatchObject({ status: 200, body: { object: 'inbox_draft', send_at: expect.any(String) } })
  await app.runDueJobs()
  expect(await countEmails(acme)).toBe(0)
  app.clock.advance(11)
  await app.runDueJobs()
  await app.runDueJobs()

  const mails = await desk.delivered()
  expect(mails).toMatchObject([{ to: ['ada@sink.dev'], attachments: [{ filename: 'notes.txt' }] }])
  expect((await acme.get(path)).body).toMatchObject({ email_id: expect.any(String), send_at: null, send_error: null })
  expect((await acme.delete(`${path}/schedule`)).status).toBe(409)
})

test('undo leaves the draft exactly as it was, and nothing is sent', async () => {
  const desk = await startDesk()
  const { app, acme } = desk
  const { path, before } = await scheduled(desk)

  const { status, body } = await acme.delete(`${path}/schedule`)
  app.clock.advance(60)
  await app.runDueJobs()

  expect({ status, version: body.version }).toEqual({ status: 200, version: before.version })
  expect((await acme.get(path)).body).toEqual(before)
  expect(await countEmails(acme)).toBe(0)
  // Undone twice is undone.
  expect((await acme.delete(`${path}/schedule`)).status).toBe(200)
})

test('a job that runs while sending is undone and begun again sends nothing before its time', async () => {
  const desk = await startDesk()
  const { app, acme } = desk
  const { path } = await scheduled(desk)
  const [job] = await app.db.query<{ payload: Parameters<typeof sendScheduledDraft.run>[0] }>(sql`
    select payload from jobs where name = ${sendScheduledDraft.name}`)

  await acme.delete(`${path}/schedule`)
  app.clock.advance(1)
  await acme.post(`${path}/schedule`, {})
  await sendScheduledDraft.run(job!.payload, { ...app.services, signal: new AbortController().signal })
  expect(await countEmails(acme)).toBe(0)

  app.clock.advance(11)
  await app.runDueJobs()
  expect(await countEmails(acme)).toBe(1)
})

test('a scheduled draft is read-only, and can be sent at once', async () => {
  const desk = await startDesk()
  const { app, acme } = desk
  const { path, before, reply } = await scheduled(desk, { delay_seconds: 30, version: 1 })

  expect((await acme.patch(path, { subject: 'Other' })).status).toBe(409)
  expect((await acme.delete(path)).status).toBe(409)
  expect((await acme.post(`${path}/schedule`, {})).body.send_at).toBe(reply.body.send_at)
  expect((await acme.get(path)).body).toEqual({ ...before, send_at: reply.body.send_at })
  expect((await acme.post(`${path}/send`, {})).status).toBe(200)
  app.clock.advance(60)
  await app.runDueJobs()

  expect(await countEmails(acme)).toBe(1)
})

test('what cannot be sent is refused at once', async () => {
  const { acme, path } = await startDesk()
  const { body: draft } = await acme.post(`${path}/drafts`, { subject: 'Nobody' })
  const at = `${path}/drafts/${draft.id}/schedule`

  expect(await acme.post(at, {})).toMatchObject({ status: 422, body: { message: 'Missing `to` field.' } })
  expect((await acme.post(at, { version: 7 })).status).toBe(409)
  expect((await acme.post(at, { delay_seconds: 61 })).status).toBe(422)
  expect((await acme.get(`${path}/drafts/${draft.id}`)).body.send_at).toBeNull()
})

test('a scheduled draft that is refused when it is due becomes a draft again, with the reason', async () => {
  const desk = await startDesk()
  const { app, acme } = desk
  const { path, before } = await scheduled(desk)
  await app.db.query(sql`update inbox_drafts set "to" = '[]' where team_id = ${acme.team}`)

  app.clock.advance(11)
  await app.runDueJobs()

  expect((await acme.get(path)).body).toEqual({ ...before, to: [], send_error: 'Missing `to` field.' })
  expect(await countEmails(acme)).toBe(0)
  await acme.patch(path, { to: 'ada@example.com' })
  expect((await acme.get(path)).body.send_error).toBeNull()
})
