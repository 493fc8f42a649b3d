import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness/app.ts'
import { arrive, submit, written } from '../../../../test/harness/arriving.ts'
import { startDnsServer } from '../../../../test/harness/dns-server.ts'
import { SIMPLE, sendEmail } from '../../../../test/harness/emails.ts'
import { startFileServer } from '../../../../test/harness/file-server.ts'
import { startMailServer } from '../../../../test/harness/mail-server.ts'
import { startReceiver } from '../../../../test/harness/receiver.ts'
import { relaying } from '../../../../test/harness/relaying.ts'
import { addWebhook } from '../../../../test/harness/webhooks.ts'

/** An installation whose mail leaves, with a name server and a relay that would notice, and that refuses private addresses. */
async function startWhereMailLeaves() {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const app = await startApp({
    ...relaying(relay, dns),
    POSTWREN_SANDBOXES: 'on',
    POSTWREN_PRIVATE_ADDRESSES: 'refuse',
  })
  const acme = await app.as('acme')
  return { app, acme, dns, relay, sandbox: await app.sandboxOf(acme) }
}

const subjectsOf = (reply: { body: { data: { subject: string }[] } }) => reply.body.data.map(({ subject }) => subject)

test('mail of a sandbox is delivered and goes nowhere, where all other mail leaves', async () => {
  const { app, dns, relay, sandbox } = await startWhereMailLeaves()

  const id = await sendEmail(sandbox, {
    to: ['ada@example.com', 'grace@gmail.com'],
    from: 'Acme <hello@not-ours.example>',
  })
  await submit(app, sandbox, written({ subject: 'By SMTP' }), ['ada@gmail.com'])
  await app.deliverDue()

  expect((await sandbox.get(`/emails/${id}`)).body.last_event).toBe('delivered')
  expect((await sandbox.get('/emails')).body.data.map(({ last_event }: { last_event: string }) => last_event)).toEqual([
    'delivered',
    'delivered',
  ])
  expect([relay.messages, dns.queries]).toEqual([[], []])
})

test('a domain of a sandbox is verified without the DNS, and is nobody else’s business', async () => {
  const { app, acme, dns, sandbox } = await startWhereMailLeaves()
  const other = await app.sandboxOf(acme)
  const wish = { name: 'acme.example', dkim: 'ed25519', tracking_subdomain: 'links' }
  const able = { capabilities: { sending: 'enabled', receiving: 'enabled' } }

  for (const client of [sandbox, other]) {
    const { body } = await client.post('/domains', { ...wish, ...able })
    await client.post(`/domains/${body.id}/verify`)
    await app.runDueJobs()
    expect((await client.get(`/domains/${body.id}`)).body.status).toBe('verified')
  }
  expect((await sandbox.post('/domains', wish)).body.message).toContain('has been registered already')
  expect((await sandbox.post('/domains/claim', { name: 'globex.example' })).body.message).toContain(
    'Nobody has registered',
  )
  // Neither takes the name from a team, nor the mail that comes to it.
  expect((await acme.post('/domains', { ...wish, ...able })).status).toBe(201)
  expect(await arrive(app, written(), { to: ['desk@acme.example'] })).toMatchObject({ kind: 'refused', code: 451 })
  expect(dns.queries).toEqual([])
})

test('mail for the domain of a sandbox is received there, for several at once, and asks no name server', async () => {
  const { app, acme, dns, sandbox } = await startWhereMailLeaves()
  const other = await app.sandboxOf(acme)

  const to = [`anything@${sandbox.domain}`, `Else@${sandbox.domain.toUpperCase()}`, `desk@${other.domain}`]
  expect(await arrive(app, written({ subject: 'Hello' }), { to })).toMatchObject({ kind: 'accepted' })
  await app.runDueJobs()

  for (const client of [sandbox, other]) expect(subjectsOf(await client.get('/emails/receiving'))).toEqual(['Hello'])
  const [received] = (await sandbox.get('/emails/receiving')).body.data
  const { body } = await sandbox.get(`/emails/receiving/${received.id}`)
  expect(body.authentication).toMatchObject({ spf: { result: 'none' }, dmarc: { result: 'none' } })
  expect((await acme.get('/emails/receiving')).body.data).toEqual([])
  expect(dns.queries).toEqual([])
})

test('mail for a sandbox that is over is for nobody, also where all other mail is for the first team', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const sandbox = await app.sandboxOf(acme)
  const peer = { id: 'peer', address: '127.0.0.1', helo: 'test', isEncrypted: false }
  const to = `anything@${sandbox.domain}`
  const check = () => app.handler.checkRecipient(to, { peer, user: null, from: 'ada@example.net' })

  expect(await check()).toBeNull()
  await acme.delete(`/sandboxes/${sandbox.team}`)
  expect(await check()).toMatchObject({ code: 550 })
})

test('webhooks of a sandbox reach the application under test, and nothing beyond this machine', async () => {
  const { app, dns, sandbox } = await startWhereMailLeaves()
  const receiver = await startReceiver()
  await addWebhook(sandbox, `${receiver.url}/hook`)
  await addWebhook(sandbox, `http://localhost:${receiver.port}/named`)
  const away = await addWebhook(sandbox, 'https://hooks.example.com/hook')

  await sandbox.post('/topics', { name: 'News' })
  await app.deliverWebhooks()

  expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/hook', '/named'])
  const [event] = (await sandbox.get(`/webhooks/${away.id}/events`)).body.data
  const { data: attempts } = (await sandbox.get(`/webhooks/${away.id}/events/${event.id}/attempts`)).body
  expect(attempts).toMatchObject([
    { http_status_code: 0, response: 'hooks.example.com is not this machine, and a sandbox reaches nothing else' },
  ])
  expect(dns.queries).toEqual([])
})

test('attachments of a sandbox are fetched from this machine, and from nowhere else', async () => {
  const { acme, sandbox, dns } = await startWhereMailLeaves()
  const files = await startFileServer((request, response) =>
    request.url === '/away'
      ? response.writeHead(302, { location: 'http://192.0.2.1/x' }).end()
      : response.end('content'),
  )
  const withFile = (path: string) => ({ ...SIMPLE, attachments: [{ filename: 'a.txt', path }] })

  expect((await sandbox.post('/emails', withFile(`${files.url}/file`))).status).toBe(200)
  for (const path of ['http://example.com/x', 'http://10.0.0.1/x', 'http://169.254.169.254/x', `${files.url}/away`])
    expect((await sandbox.post('/emails', withFile(path))).body.message).toContain('a sandbox reaches nothing else')
  // What a sandbox may, its team may not.
  expect((await acme.post('/emails', { ...withFile(`${files.url}/file`), to: 'a@b.dev' })).status).not.toBe(200)
  expect(files.requests).toEqual(['/file', '/away'])
  expect(dns.queries).toEqual([])
})

test('what one sandbox has is not there for another, nor for the team that made both', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const [one, two] = [await app.sandboxOf(acme), await app.sandboxOf(acme)]
  const email = await sendEmail(one)
  const { body: contact } = await one.post('/contacts', { email: 'ada@example.com' })

  for (const stranger of [two, acme])
    for (const path of [`/emails/${email}`, `/contacts/${contact.id}`, '/contacts/ada@example.com'])
      expect([path, (await stranger.get(path)).status]).toEqual([path, 404])
  expect((await two.post('/contacts', { email: 'ada@example.com' })).status).toBe(201)
})
