import { expect, test } from 'vitest'
import { startDirect } from '../../../../../test/harness/direct.ts'
import { readEmail, sendEmail } from '../../../../../test/harness/emails.ts'
import { thenHangUp } from '../../../../../test/harness/mail-conversation.ts'
import { startReceiver } from '../../../../../test/harness/receiver.ts'
import { addWebhook, forgetAll } from '../../../../../test/harness/webhooks.ts'

test('a server that says what no text can contain stops nobody’s webhooks and metrics', async () => {
  const { app, acme, dns, from } = await startDirect({
    // What is kept begins with the server's name. Wherever it is cut, for one of the two that is in the middle of a character.
    react: ({ step }) => (step === 'CONNECT' ? thenHangUp(`421 4.3.2 ${'😀'.repeat(1_000)}`) : undefined),
  })
  await forgetAll(app)
  for (const site of ['odd.dev', 'even.dev']) dns.set(site, { A: ['127.0.0.1'] })
  const receiver = await startReceiver()
  const globex = await app.as('globex')
  await addWebhook(acme, `${receiver.url}/acme`, ['email.bounced'])
  await addWebhook(globex, `${receiver.url}/globex`)
  const ids = [await sendEmail(acme, { from, to: 'ada@odd.dev' }), await sendEmail(acme, { from, to: 'ada@even.dev' })]
  await app.deliverDue()
  app.clock.advance(72 * 3_600 - 60)
  await app.deliverDue()
  await globex.post('/topics', { name: 'News' })
  await app.deliverWebhooks()

  expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/acme', '/acme', '/globex'])
  for (const id of ids) {
    const { timeline, deliveries } = await readEmail(acme, id)
    expect(timeline).toContain('bounced')
    expect(JSON.stringify(deliveries[0].replies)).toContain('😀')
  }
  const { status, body } = await acme.get('/emails/metrics?metrics=bounced')
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('"bounced":2')])
})

test.each([
  { subject: 'Half a smile \ud83d' },
  { subject: 'Zero \0' },
  { from: 'Ada \ude00 <ada@acme.dev>' },
  { tags: [{ name: 'kind', value: '\ud83d' }] },
  { tags: [{ name: '\ud83d', value: 'kind' }] },
  { headers: { 'X-Smile': '\ud83d' } },
])('an email with %j is refused', async (field) => {
  const { acme, from } = await startDirect()
  const { status, body } = await acme.post('/emails', {
    ...{ from, to: 'ada@example.com', subject: 'Hello', text: 'Hello' },
    ...field,
  })

  expect([status, body.message]).toEqual([422, expect.stringMatching(/contains a character that is not valid text/)])
})
