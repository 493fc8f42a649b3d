import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { arrive, PEER } from '../../../test/harness/arriving.ts'
import { domainNamed, freshName } from '../../../test/harness/domains.ts'
import { letter, messagesIn } from '../../../test/harness/filed-mail.ts'
import { TestClient } from '../../../test/harness/smtp-client.ts'
import { startListener } from '../../../test/harness/smtp-listener.ts'
import { sql } from '../../kernel/db/sql.ts'

const RELAY = {
  POSTWREN_DELIVERY: 'relay',
  POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1',
  POSTWREN_HOSTNAME: 'mx.postwren.test',
}

async function domainOf(client: Client, capabilities = {}) {
  const name = freshName()
  await client.post('/domains', { ...domainNamed(name), ...capabilities })
  return name
}

const check = (app: App, recipient: string) =>
  app.handler.checkRecipient(recipient, { user: null, peer: PEER } as never)

test('mail that another server forwards to the receiving address is in the inbox', async () => {
  const app = await startApp(RELAY)
  const acme = await app.as('acme')
  const domain = await domainOf(acme)

  const { body, status } = await acme.post('/inboxes', { email_address: `Help@${domain}`, forwarding: true })
  expect(status).toBe(201)
  const { body: inbox } = await acme.get(`/inboxes/${body.id}`)
  expect(inbox).toMatchObject({
    name: 'help',
    receiving_address: expect.stringMatching(/^inbox-[0-9a-f]{24}@mx\.postwren\.test$/),
  })

  expect(await check(app, inbox.receiving_address.toUpperCase())).toBeNull()
  expect(await check(app, `inbox-${'0'.repeat(24)}@mx.postwren.test`)).toMatchObject({ code: 550 })
  await arrive(app, letter({ to: `help@${domain}`, subject: 'Forwarded' }), { to: [inbox.receiving_address] })
  await app.runDueJobs()
  await app.fileMail()
  expect(await messagesIn(app, acme, body.id)).toMatchObject([{ subject: 'Forwarded' }])

  await acme.delete(`/inboxes/${body.id}`)
  expect(await check(app, inbox.receiving_address)).toMatchObject({ code: 550 })
})

test.each(['localhost', 'Mail'])('mail is forwarded by SMTP to an installation that is called %s', async (hostname) => {
  const app = await startApp({ ...RELAY, POSTWREN_HOSTNAME: hostname })
  const acme = await app.as('acme')
  const domain = await domainOf(acme)
  const { id } = (await acme.post('/inboxes', { email_address: `help@${domain}`, forwarding: true })).body
  const { receiving_address } = (await acme.get(`/inboxes/${id}`)).body
  const { port } = await startListener({ handler: app.handler as never })
  const forwarded = [receiving_address, receiving_address.toUpperCase(), receiving_address.replace('@', '+orders@')]

  const client = await TestClient.ready(port)
  for (const [n, recipient] of forwarded.entries()) {
    await client.ask('MAIL FROM:<ada@example.net>')
    await client.ask(`RCPT TO:<${recipient}>`)
    await client.ask('DATA')
    const message = letter({ to: `help@${domain}`, subject: `Forwarded ${n}` })
    expect(await client.ask(`${message.toString().trimEnd()}\r\n.`)).toMatch(/^250 /)
  }
  await app.runDueJobs()
  await app.fileMail()

  expect((await messagesIn(app, acme, id)).map(({ subject }) => subject)).toEqual([
    'Forwarded 0',
    'Forwarded 1',
    'Forwarded 2',
  ])
})

test('an inbox needs a domain of the team that receives, or forwarding', async () => {
  const app = await startApp(RELAY)
  const acme = await app.as('acme')
  const sendsOnly = await domainOf(acme)
  const receives = await domainOf(acme, { capabilities: { sending: 'enabled', receiving: 'enabled' } })
  const foreign = await domainOf(await app.as('globex'))
  const create = async (address: string, more = {}) => {
    const { status, body } = await acme.post('/inboxes', { email_address: address, ...more })
    return [status, body.name ?? 'created']
  }

  expect(await create(`a@${sendsOnly}`)).toEqual([422, 'validation_error'])
  expect(await create(`a@${foreign}`)).toEqual([422, 'validation_error'])
  expect(await create(`a@${foreign}`, { forwarding: true })).toEqual([422, 'validation_error'])
  expect(await create('a@nobody.example')).toEqual([422, 'validation_error'])
  // It is not verified yet.
  expect(await create(`a@${receives}`)).toEqual([422, 'validation_error'])
  await app.db.query(sql`update domains set is_receiving_proven = true where name = ${receives}`)
  expect(await create(`a@${receives}`)).toEqual([201, 'created'])
  expect(await create(`A@${receives}`)).toEqual([422, 'validation_error'])
  expect(await create(`a@${sendsOnly}`, { forwarding: true })).toEqual([201, 'created'])
  expect(await create('no address')).toEqual([422, 'validation_error'])
  expect(await create(`b@${receives}`, { from_name: 'a: <b>' })).toEqual([422, 'validation_error'])
  expect(await create(`b@${receives}`, { name: 'x'.repeat(65) })).toEqual([422, 'validation_error'])
})

test('inboxes of another team do not exist', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await acme.post('/inboxes', { email_address: `a@${await domainOf(acme)}` })
  const globex = await app.as('globex')

  expect((await globex.get(`/inboxes/${body.id}`)).status).toBe(404)
  expect((await globex.patch(`/inboxes/${body.id}`, { name: 'Mine' })).status).toBe(404)
  expect((await globex.delete(`/inboxes/${body.id}`)).status).toBe(404)
  expect((await globex.get('/inboxes')).body.data).toEqual([])
  expect((await globex.get('/inboxes/neither')).status).toBe(422)
})

test('every change of an inbox is told, with who made it, and what changes nothing is not', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const { body } = await acme.post('/inboxes', { email_address: `a@${await domainOf(acme)}` })

  await (await app.ownerOf(acme)).patch(`/inboxes/${body.id}`, { name: 'Desk' })
  await acme.patch(`/inboxes/${body.id}`, { name: 'Desk' })
  await acme.delete(`/inboxes/${body.id}`)

  const events = (await acme.events()).filter(({ type }) => type.startsWith('inbox.'))
  expect(events.map(({ type, data }) => [type, data.source, data.inbox?.name])).toEqual([
    ['inbox.created', 'api', 'a'],
    ['inbox.updated', 'dashboard', 'Desk'],
    ['inbox.deleted', 'api', undefined],
  ])
  expect(events[0]!.data.inbox).toMatchObject({ object: 'inbox', id: body.id, created_at: expect.stringMatching(/Z$/) })
})
