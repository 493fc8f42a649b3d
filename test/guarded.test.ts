import { expect, test } from 'vitest'
import { isRefusal } from '../src/adapters/smtp-server/handler.ts'
import type { Policy } from '../src/features/policies/schema.ts'
import { sql } from '../src/kernel/db/sql.ts'
import { GUARDED_ACCESS } from '../src/kernel/http/access.ts'
import { connectAgent } from './harness/agent.ts'
import { type App, startApp } from './harness/app.ts'
import { submit, written } from './harness/arriving.ts'
import { signedIn, signIn } from './harness/browser-session.ts'
import { SIMPLE } from './harness/emails.ts'
import { type GuardedClient, guardedKey } from './harness/guarded.ts'

// What a key with a policy can do through every way in. `guarded.long.test.ts` walks through all endpoints.

/** Nobody can be written to. */
const NOBODY: Policy = { recipients: { domains: ['nobody.invalid'] } }

/** Each way to send an email with a key. True: it was accepted. */
async function waysIn(app: App, key: GuardedClient) {
  const agent = await connectAgent(app, key.token)
  const basic = `Basic ${Buffer.from(`any:${key.token}`).toString('base64')}`
  const simple = (to: string) => ({ ...SIMPLE, to })
  const isDone = ({ status }: { status: number }) => status < 300
  const ways: Record<string, (to: string) => Promise<boolean>> = {
    http: async (to) => isDone(await key.post('/emails', simple(to))),
    batch: async (to) => isDone(await key.post('/emails/batch', [simple(to)])),
    smtp: async (to) => {
      const raw = written({ from: 'Acme <hello@acme.dev>', to: 'Bob <bob@example.org>' })
      return !isRefusal(await submit(app, key, raw, [to]))
    },
    mailpit: async (to) =>
      isDone(
        await app.send({
          method: 'POST',
          url: '/api/v1/send',
          headers: { authorization: basic },
          payload: { From: { Email: 'hello@acme.dev' }, To: [{ Email: to }], Subject: 'Hello', Text: 'Hi' },
        }),
      ),
    mcp: async (to) => !(await agent.call('emails_send', simple(to))).isError,
  }
  return ways
}

test('every way to send with a key is judged by its policy, and counts for the same limit', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const policy: Policy = { recipients: { addresses: ['bob@example.org'] }, max_emails_per_day: 5 }
  const ways = await waysIn(app, await guardedKey(app, acme, policy))
  const tryAll = async (to: string) => {
    const accepted: string[] = []
    for (const [name, send] of Object.entries(ways)) if (await send(to)) accepted.push(name)
    return accepted
  }

  expect(await tryAll('eve@example.com')).toEqual([])
  expect(await tryAll('bob@example.org')).toEqual(Object.keys(ways))
  expect(await tryAll('bob@example.org')).toEqual([])

  const sent = await app.db.query<{ recipient: string }>(
    sql`select distinct recipient from deliveries where team_id = ${acme.team}`,
  )
  expect(sent).toEqual([{ recipient: 'bob@example.org' }])
})

test('a page of the dashboard that was opened with a key is guarded as soon as the key is, and a guarded key opens none', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const key = await guardedKey(app, acme, NOBODY)
  expect((await signIn(app, { key: key.token })).body.name).toBe('policy_refused')
  await acme.patch(`/api-keys/${key.id}`, { policy: null })
  const page = await signedIn(app, key.token)
  expect((await page.post('/emails', SIMPLE)).status).toBe(200)
  await acme.patch(`/api-keys/${key.id}`, { policy: NOBODY })

  const session = await page.get('/dashboard/session')

  expect(session.body.access.toSorted()).toEqual([...GUARDED_ACCESS].sort())
  expect((await page.post('/emails', SIMPLE)).body.message).toContain('`recipients` does not allow ada@example.com')
  expect((await page.post('/api-keys', { name: 'Another' })).body.name).toBe('policy_refused')
  expect((await page.post('/topics', { name: 'News' })).body.name).toBe('policy_refused')
  expect((await page.post('/sandboxes', {})).body.name).toBe('policy_refused')
  expect((await page.get('/emails')).status).toBe(200)
})

test('a guarded key reads and sends by Mailpit and changes nothing there', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { id } = (await acme.post('/emails', SIMPLE)).body
  const key = await guardedKey(app, acme, { recipients: { addresses: ['bob@example.org'] } })
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload: object) =>
    (await key.send({ method, url, ...(method !== 'GET' && { payload }) })).status

  expect(await ask('GET', '/api/v1/messages', {})).toBe(200)
  expect(await ask('POST', `/api/v1/message/${id}/release`, { To: ['bob@example.org'] })).toBe(403)
  expect(await ask('PUT', '/api/v1/tags', { IDs: [id], Tags: ['Mine'] })).toBe(403)
  expect(await ask('DELETE', '/api/v1/messages', {})).toBe(403)
  expect(await ask('PUT', '/api/v1/chaos', {})).toBe(403)
})
