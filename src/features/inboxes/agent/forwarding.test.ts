import { expect, test } from 'vitest'
import { receive } from '../../../../test/harness/filed-mail.ts'
import { startWithAgent } from '../../../../test/harness/inbox-agents.ts'
import { sql } from '../../../kernel/db/sql.ts'

const BECAUSE = { reason: 'It is an invoice.' }

test('mail that arrives is filed, looked at and forwarded to whom the settings name, with its files', async () => {
  const { app, acme, inbox, model, runs } = await startWithAgent()
  const forward = ['forward_thread', { to: 'books@partner.example', note: 'For <you>.', ...BECAUSE }] as const
  model.calls([...forward], [...forward], ['draft_reply', { text: 'Thank you.', ...BECAUSE }])
  const body = ['--b', 'Content-Type: text/plain', '', 'See the file.', '--b', 'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename="invoice.pdf"', '', 'PDF', '--b--', ''].join('\r\n') // biome-ignore format: as it is sent

  const headers = ['Content-Type: multipart/mixed; boundary=b']
  const [email] = await receive(app, inbox.address, { to: inbox.address, subject: 'Invoice', headers, body })
  await app.runDueJobs()

  const { data } = (await acme.get('/emails')).body
  expect(data).toMatchObject([{ to: ['books@partner.example'], subject: 'Fwd: Invoice' }])
  const sent = (await acme.get(`/emails/${data[0].id}`)).body
  expect(sent.text).toMatch(/^For <you>\.[\s\S]*See the file\./)
  expect(sent.html).toContain('For &lt;you&gt;.')
  const files = await app.db.query(sql`select filename from email_attachments where email_id = ${data[0].id}`)
  expect(files).toEqual([{ filename: 'invoice.pdf' }])
  expect(await runs()).toMatchObject([
    {
      email_id: email,
      acts: [
        { action: 'forward_thread', outcome: 'done', detail: 'books@partner.example', reason: 'It is an invoice.' },
        { action: 'forward_thread', outcome: 'refused', detail: 'This was done already.' },
        { action: 'draft_reply', outcome: 'done' },
      ],
    },
  ])
  expect(model.asked[0]!.messages[1]!.content).toContain('"attachments":["invoice.pdf"]')

  await app.fileMail()
  const events = (await acme.events()).filter(({ type }) => type === 'inbox.email.sent')
  expect(events).toMatchObject([{ data: { source: 'agent' } }])
})

test('a forward that the team may not send is refused, with the reason', async () => {
  const { app, acme, inbox, model, runs } = await startWithAgent()
  model.calls(['forward_thread', { to: 'books@partner.example', ...BECAUSE }])
  await app.db.query(sql`
    insert into team_limits (team_id, emails_per_day, version, updated_at) values (${acme.team}, 0, 1, now())`)
  await app.services.teamStates.refresh()

  await receive(app, inbox.address, { to: inbox.address })
  await app.runDueJobs()

  expect((await acme.get('/emails')).body.data).toEqual([])
  expect((await runs())[0].acts).toMatchObject([
    { action: 'forward_thread', outcome: 'refused', detail: expect.any(String) },
  ])
})

test('once somebody has answered, no draft is offered for the older message', async () => {
  const { app, acme, inbox, model, runs } = await startWithAgent()
  model.script(() => [['draft_reply', { text: 'Dear Ada', ...BECAUSE }]])
  const [email] = await receive(app, inbox.address, { to: inbox.address, id: '<q@example.net>' })
  const [thread] = (await acme.get(`${inbox.path}/threads`)).body.data
  await acme.post(`${inbox.path}/threads/${thread.id}/emails/${email}/reply`, { text: 'Done.' })
  await app.fileMail()

  await app.runDueJobs()

  expect(model.asked[0]!.tools).not.toContain('draft_reply')
  expect((await runs())[0].acts[0]).toMatchObject({
    outcome: 'refused',
    detail: 'There is a newer message in the thread.',
  })
})
