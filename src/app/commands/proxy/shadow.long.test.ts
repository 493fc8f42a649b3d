import { Resend } from 'resend'
import { expect, onTestFinished, test } from 'vitest'
import { type App, startApp } from '../../../../test/harness/app.ts'
import { dataOf } from '../../../../test/harness/sdk.ts'
import { type ShadowProxyOptions, startShadowProxy } from '../../../../test/harness/shadow-proxy.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { OurSide } from './our-side.ts'

async function start(options: ShadowProxyOptions = {}) {
  const app = await startApp()
  const { token } = await app.as('acme')
  const proxy = await startShadowProxy(app, options)
  return { app, token, proxy, resend: new Resend(token, { baseUrl: proxy.url }) }
}

const NOBODY = '00000000-0000-4000-8000-000000000000'
const EMAIL = { from: 'Acme <a@acme.dev>', to: ['ada@example.com'], subject: 'Hello', html: '<p>Hello</p>' }

test('what was there before the shadow is not compared, unless a list tells which is which', async () => {
  const { app, proxy, resend } = await start()
  const acme = await app.as('acme')
  const old = (await acme.post('/segments', { name: 'Old' })).body.id
  const { id } = (await acme.post('/contacts', { email: 'ada@example.com' })).body

  await dataOf(resend.contacts.get(id))
  await dataOf(resend.contacts.create({ email: 'bob@example.com', segments: [{ id: old }] }))
  await dataOf(resend.segments.list())
  await proxy.settled()

  expect(proxy.differences()).toEqual([])
  expect(proxy.report.operations).toMatchObject({
    'GET /contacts/:id': { same: 0, not_comparable: { unknown_object: 1 } },
    'POST /contacts': { same: 0, not_comparable: { unknown_object: 1 } },
    'GET /segments': { same: 1 },
  })
})

test('each key has a team of its own, a key that was made through the proxy that of its maker', async () => {
  const { app, proxy, resend } = await start()
  const before = await teamsOfShadow(app)
  const { token: other } = await app.as('other')
  const made = await dataOf(resend.apiKeys.create({ name: 'Second' }))
  const contact = await dataOf(resend.contacts.create({ email: 'ada@example.com' }))
  await dataOf(new Resend(made.token, { baseUrl: proxy.url }).contacts.get(contact.id))
  await dataOf(new Resend(other, { baseUrl: proxy.url }).contacts.create({ email: 'ada@example.com' }))
  await proxy.settled()

  expect(proxy.differences()).toEqual([])
  expect(proxy.report.operations).toMatchObject({ 'GET /contacts/:id': { same: 1 }, 'POST /contacts': { same: 2 } })
  expect(await teamsOfShadow(app)).toBe(before + 2)
})

const teamsOfShadow = async ({ db }: App) =>
  new Set((await db.query<{ team_id: string }>(sql`select team_id from shadow_teams`)).map(({ team_id }) => team_id))
    .size

test('with one team, an email that one key sent is read with another', async () => {
  const { app, proxy, resend } = await start({ isOneTeam: true })
  const { token: sender } = await app.as('acme', 'sending_access')
  const { id } = await dataOf(new Resend(sender, { baseUrl: proxy.url }).emails.send(EMAIL))
  await dataOf(resend.emails.get(id))
  await proxy.settled()

  expect(proxy.differences()).toEqual([])
  expect(proxy.report.operations['GET /emails/:id']).toMatchObject({ same: 1 })
})

test('the key is in nothing that our side gets or keeps', async () => {
  const { app, token, proxy, resend } = await start()
  await dataOf(resend.emails.send(EMAIL))
  await proxy.settled()

  expect(JSON.stringify([proxy.exchanges, proxy.report])).not.toContain(token)
  const [row] = await app.db.query<{ key_hash: string }>(
    sql`select key_hash from shadow_teams order by key_hash limit 1`,
  )
  expect(row!.key_hash).toMatch(/^[0-9a-f]{64}$/)
})

test('keys that the upstream refuses make no team', async () => {
  const { app, proxy } = await start()
  const before = await teamsCount(app)
  for (let index = 0; index < 5; index++)
    await new Resend(`re_guessed_${index}`, { baseUrl: proxy.url }).contacts.list()
  await fetch(`${proxy.url}/contacts`)
  await proxy.settled()

  expect(await teamsCount(app)).toBe(before)
  expect(proxy.report.operations['GET /contacts']!.not_comparable).toEqual({ key_refused: 5, no_key: 1 })
})

const teamsCount = async ({ db }: App) => (await db.query(sql`select 1 as one from teams`)).length

test('what our side would have sent is compared with what was asked for', async () => {
  const changed = (real: OurSide): OurSide => ({
    async call(wanted) {
      const answer = await real.call(wanted)
      if (!wanted.path.endsWith('/source')) return answer
      const text = answer.body
        .toString('utf8')
        .replace('Subject: Hello', 'Subject: Bye')
        .replace('X-Thing: 1', 'X-Thing: 2')
      return { ...answer, body: Buffer.from(text) }
    },
  })
  const email = {
    ...EMAIL,
    to: ['Ada <Ada@example.com>', 'ada@example.com'],
    bcc: 'bob@example.com',
    text: 'Hello\r\nä',
    headers: { 'X-Thing': '1' },
    attachments: [{ filename: 'a.bin', content: Buffer.alloc(5_000, 7) }],
  }
  const right = await start()
  await dataOf(right.resend.emails.send(email))
  await right.proxy.settled()
  const wrong = await start({ ourSide: changed })
  await dataOf(wrong.resend.emails.send(email))
  await wrong.proxy.settled()

  expect(right.proxy.differences()).toEqual([])
  expect(wrong.proxy.differences()).toMatchObject([
    { path: 'sent subject', theirs: 'Hello', ours: 'Bye' },
    { path: 'sent header X-Thing', theirs: '1', ours: '2' },
  ])
})

test('an attachment by URL is downloaded by the upstream alone', async () => {
  const { proxy, app, token } = await start()
  const asked: (string | undefined)[] = []
  const { createServer } = await import('node:http')
  const files = createServer((request, response) => {
    asked.push(request.url)
    response.end('once')
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const { port } = files.address() as { port: number }
  await fetch(`${proxy.url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...EMAIL, attachments: [{ path: `http://127.0.0.1:${port}/file.txt` }] }),
  })
  await proxy.settled()
  await app.flush()
  files.close()

  expect(asked).toEqual(['/file.txt'])
  expect(proxy.differences()).toEqual([])
})

test('an email that was sent is read back with the key of its request', async () => {
  const { proxy, resend } = await start({ readsBack: true })
  await dataOf(resend.emails.send(EMAIL))

  await expect.poll(() => proxy.report.operations['GET /emails/:id']?.same).toBe(1)
})

test('when our side is away, hangs or throws, the upstream answers', async () => {
  const away = await start({ ourSide: () => ({ call: () => Promise.reject(new Error('away')) }) })
  let release = () => {}
  const released = new Promise<never>((_resolve, reject) => {
    release = () => reject(new Error('ended'))
  })
  const hanging = await start({ ourSide: () => ({ call: () => released }) })
  onTestFinished(() => release())
  const failing = await start({
    ourSide: () => ({ call: async () => ({ status: 500, contentType: undefined, body: Buffer.from('broken') }) }),
  })

  for (const { resend } of [away, hanging, failing]) await dataOf(resend.emails.send(EMAIL))
  await away.proxy.settled()
  await failing.proxy.settled()

  expect(away.proxy.report).toMatchObject({
    lost_writes: 1,
    operations: { 'POST /emails': { not_comparable: { away: 1 } } },
  })
  expect(failing.proxy.report).toMatchObject({
    lost_writes: 1,
    operations: { 'POST /emails': { failed: 1, last_failure: '500 broken' } },
  })
})

test('the report is for this machine, and shows no markup of others', async () => {
  const { proxy, token } = await start()
  await fetch(`${proxy.url}/%3Cscript%3E`, { headers: { authorization: `Bearer ${token}` } })
  await proxy.settled()
  const page = await fetch(`${proxy.url}/_proxy`)
  const text = await page.text()
  const { request } = await import('node:http')
  const rebound = await new Promise((resolve) => {
    request({ host: '127.0.0.1', port: proxy.port, path: '/_proxy', headers: { host: 'evil.example' } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).end()
  })

  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).not.toContain('<script')
  expect(text).toContain('GET /:id')
  expect(rebound).toBe(403)
})

test('events that the upstream posts are compared with those that our side has recorded', async () => {
  const { app, proxy, resend } = await start()
  const { id } = await dataOf(resend.emails.send(EMAIL))
  const acme = await app.as('acme')
  await proxy.settled()
  await app.deliverDue()
  const sent = (await acme.get(`/emails/${id}`)).body.events.find(({ type }: { type: string }) => type === 'email.sent')
  const post = async (body: unknown, url = proxy.webhookUrl) =>
    (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).status

  expect(await post(sent)).toBe(200)
  await post({ ...sent, data: { ...sent.data, subject: 'Bye' } })
  await post({ ...sent, type: 'email.suppressed' })
  await post({ ...sent, type: 'email.bounced' })
  await post({ ...sent, data: { ...sent.data, email_id: NOBODY } })
  await post('nonsense')
  expect(await post(sent, `${proxy.url}/_proxy/webhooks/guessed`)).toBe(404)
  expect(await post('x'.repeat(300_000))).toBe(413)
  await proxy.settled()

  expect(proxy.report.operations).toMatchObject({
    'webhook email.sent': { calls: 3, same: 1, different: 1, not_comparable: { unknown_object: 1 } },
    'webhook email.suppressed': { different: 1 },
    'webhook email.bounced': { not_comparable: { world: 1 } },
    'webhook of an unknown type': { calls: 1 },
  })
  expect(proxy.differences()).toMatchObject([
    { operation: 'webhook email.sent', path: 'subject', theirs: 'Bye', ours: 'Hello' },
    { operation: 'webhook email.suppressed', path: 'event', theirs: 'email.suppressed' },
  ])
})

test('what is still under way on our side is looked at again before it is called a difference', async () => {
  let isLate = true
  const late = (real: OurSide): OurSide => ({
    call: (wanted) => {
      const isFirst = wanted.method === 'GET' && isLate
      if (isFirst) isLate = false
      return real.call(isFirst ? { ...wanted, path: `/topics/${NOBODY}` } : wanted)
    },
  })
  const { proxy, resend } = await start({ ourSide: late, retryDelaysMs: [0] })
  const topic = await dataOf(resend.topics.create({ name: 'News', defaultSubscription: 'opt_in' }))
  await dataOf(resend.topics.get(topic.id))
  await proxy.settled()

  expect(proxy.differences()).toEqual([])
  expect(proxy.report.operations['GET /topics/:id']).toMatchObject({ same: 1 })
})
