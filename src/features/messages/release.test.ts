import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { arrive, RICH, receivingDomain } from '../../../test/harness/arriving.ts'
import { addVerifiedDomain, sendEmail } from '../../../test/harness/emails.ts'
import { newId } from '../../../test/harness/ids.ts'
import { startMailServer } from '../../../test/harness/mail-server.ts'
import { sql } from '../../kernel/db/sql.ts'

async function startWithRelay() {
  const relay = await startMailServer()
  const app = await startApp({ POSTWREN_RELAY_URL: `smtp://127.0.0.1:${relay.port}` })
  return { relay, app, acme: await app.as('acme') }
}

test('one message is sent for real, signed, to those that it was for', async () => {
  const { relay, app, acme } = await startWithRelay()
  const domain = `d-${newId()}.dev`
  await addVerifiedDomain(app, acme, domain)
  const id = await sendEmail(acme, {
    from: `Acme <a@${domain}>`,
    to: 'Ada <ada@example.com>',
    bcc: ['bob@example.com'],
  })
  await app.deliverDue()
  expect(relay.messages).toEqual([])

  const { body } = await acme.post(`/messages/${id}/release`, {})

  expect(body).toMatchObject({
    object: 'message',
    id,
    released_to: ['ada@example.com', 'bob@example.com'],
    refused: [],
  })
  expect(body.reply).toMatch(/^250/)
  expect(relay.messages.map(({ to }) => to).sort()).toEqual([['ada@example.com'], ['bob@example.com']])
  expect(relay.messages[0]!.from).toMatch(/^bounce\+/)
  expect(relay.messages[0]!.bytes.toString()).toMatch(/^DKIM-Signature: /)
  const [event] = await app.db.query(sql`
    select action, object_id, details from audit_events where team_id = ${acme.team} order by id desc limit 1`)
  expect(event).toMatchObject({
    action: 'messages.release',
    object_id: id,
    details: { to: ['ada@example.com', 'bob@example.com'] },
  })
  expect((await acme.post(`/messages/${newId()}/release`, {})).status).toBe(404)
  expect((await (await app.as('globex')).post(`/messages/${id}/release`, {})).status).toBe(404)
})

test('to others, of a domain that nobody has verified, and what was received as it came', async () => {
  const { relay, app, acme } = await startWithRelay()
  const { domain } = await receivingDomain(acme)
  const sent = await sendEmail(acme)
  const { message: received } = await arrive(app, RICH, { to: [`desk@${domain}`] })

  const first = await acme.post(`/messages/${sent}/release`, {
    to: ['Me <me@example.org>', 'ME@example.org', 'me@example.org'],
  })
  const second = await acme.post(`/messages/${received}/release`, { to: ['me@example.org'] })

  expect(first.body.released_to).toEqual(['me@example.org', 'ME@example.org'])
  expect(second.body.released_to).toEqual(['me@example.org'])
  expect(relay.messages[2]).toMatchObject({ from: 'ada@example.net', to: ['me@example.org'] })
  expect(relay.messages[2]!.bytes.equals(RICH)).toBe(true)
  for (const to of [['nobody'], ['a@b.example, c@d.example'], ['a@b.example\r\nDATA'], 'text'])
    expect((await acme.post(`/messages/${sent}/release`, { to })).status).toBe(422)
})

test('tells what the relay refused, and that it is not there', async () => {
  const { relay, app, acme } = await startWithRelay()
  const id = await sendEmail(acme, { to: ['ada@example.com', 'bad@example.com'] })
  relay.react(({ step, line }) => (step === 'RCPT' && line.includes('bad@') ? '550 5.1.1 No such user' : undefined))

  const { body } = await acme.post(`/messages/${id}/release`, {})
  const refused = await acme.post(`/messages/${id}/release`, { to: ['bad@example.com'] })
  relay.stop()
  const away = await acme.post(`/messages/${id}/release`, {})

  expect(body).toMatchObject({
    released_to: ['ada@example.com'],
    refused: [{ to: 'bad@example.com', reply: expect.stringContaining('No such user') }],
  })
  expect(refused.body).toMatchObject({ statusCode: 422, message: expect.stringContaining('No such user') })
  expect(away.status).toBe(503)
  const sandbox = await app.sandboxOf(acme)
  const kept = await sendEmail(sandbox, { from: `a@${sandbox.domain}` })
  expect((await sandbox.post(`/messages/${kept}/release`, {})).body).toMatchObject({
    statusCode: 403,
    message: 'Messages of a sandbox cannot be released.',
  })
})

test('is refused without a relay, and where mail leaves by itself', async () => {
  for (const settings of [{}, { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' }]) {
    const app = await startApp(settings as Record<string, string>)
    const acme = await app.as('acme')

    expect((await acme.post(`/messages/${newId()}/release`, {})).body.statusCode).toBe(403)
  }
})
