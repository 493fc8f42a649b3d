import { expect, test } from 'vitest'
import { connectAgent } from '../../../test/harness/agent.ts'
import { startApp } from '../../../test/harness/app.ts'
import { PEER, written } from '../../../test/harness/arriving.ts'
import { clientOf, guardedKey, MAIL } from '../../../test/harness/guarded.ts'
import { callWith, getTokens } from '../../../test/harness/oauth.ts'

// Whoever is refused by a policy hears who can allow more, and on which page.

const ASK = 'Ask an owner or an admin of the team to change the policy:'
const POLICY = { recipients: { addresses: ['ada@example.com'] } }
const TO_EVE = { ...MAIL, to: 'eve@evil.test' }

async function start() {
  const app = await startApp({ POSTWREN_PUBLIC_URL: 'https://post.example/' })
  const acme = await app.as('acme')
  const key = await guardedKey(app, acme, POLICY)
  return { app, acme, key, page: `https://post.example/dashboard/api-keys/${key.id}` }
}

test('each way to send says on which page the policy of a key is changed', async () => {
  const { app, key, page } = await start()
  const message = `Refused by the policy of this API key: \`recipients\` does not allow eve@evil.test. ${ASK} ${page}`

  expect((await key.post('/emails', TO_EVE)).body).toEqual({ statusCode: 403, name: 'policy_refused', message })
  expect((await key.post('/emails/batch', [TO_EVE])).body.message).toBe(message)
  const permissive = await key.post('/emails/batch', [MAIL, TO_EVE], { 'x-batch-validation': 'permissive' })
  expect(permissive.body.errors).toEqual([{ index: 1, message }])
  expect((await key.post('/emails/dry-run', TO_EVE)).body.refusals).toEqual([{ rule: 'recipients', message }])
  const user = await app.handler.authenticate({ username: 'resend', password: key.token }, PEER)
  const submitted = await app.handler.take({
    ...{ raw: written({ from: MAIL.from, to: TO_EVE.to }), from: MAIL.from, recipients: [TO_EVE.to] },
    ...{ peer: PEER, user: user as never },
  })
  expect(submitted).toMatchObject({ code: 550, message: expect.stringContaining(message) })
})

test('what is no sending says it, too', async () => {
  const { app, acme, key, page } = await start()
  const sandbox = (await acme.post('/sandboxes', { name: 'Trial' })).body

  for (const refused of [
    await key.post('/topics', { name: 'News' }),
    await key.get(`/sandboxes/${sandbox.id}/emails`),
    await clientOf(app, key).patch(`/api-keys/${key.id}`, { policy: null }),
  ])
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `This API key has a policy: it can only read and send emails. ${ASK} ${page}`,
    ])
})

test('an app is told where the access of apps is changed', async () => {
  const { app } = await start()
  const { access_token } = await getTokens(app, await app.person('acme', 'owner'), {}, POLICY)

  const { body } = await callWith(app, access_token, 'POST', '/emails', TO_EVE)

  expect(body.message).toMatch(/ https:\/\/post\.example\/dashboard\/connected-apps$/)
  expect((await callWith(app, access_token, 'POST', '/topics', { name: 'News' })).body.message).toBe(
    `This app has a policy: it can only read and send emails. ${ASK} https://post.example/dashboard/connected-apps`,
  )
})

test('a model is told in the instructions, in the tools that send and with each refusal', async () => {
  const { app, key, page } = await start()
  const agent = await connectAgent(app, key.token)

  expect(agent.instructions).toContain(page)
  const telling = (await agent.tools()).filter(({ description }) => description!.includes(page))
  expect(telling.map(({ name }) => name)).toContain('emails_send')
  expect((await agent.call('emails_send', TO_EVE)).texts[0]).toContain(`${ASK} ${page} (policy_refused)`)
})
