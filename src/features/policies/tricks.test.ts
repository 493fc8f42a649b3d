import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness/app.ts'
import { submit } from '../../../test/harness/arriving.ts'
import { SIMPLE } from '../../../test/harness/emails.ts'
import { guardedKey } from '../../../test/harness/guarded.ts'
import { isRefusal } from '../../adapters/smtp-server/handler.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Policy } from './schema.ts'

// Requests that look like what a policy allows, or say that they are. Whatever becomes of them: mail goes to Bob alone, from one sender.

const ONLY_BOB: Policy = { recipients: { addresses: ['bob@example.org'] }, senders: ['hello@acme.dev'], no_bcc: true }

async function startGuarded(policy: Policy = ONLY_BOB) {
  const app = await startApp()
  const acme = await app.as('acme')
  const key = await guardedKey(app, acme, policy)
  return {
    app,
    acme,
    key,
    /** Who is written to by all of the mail, and from where. */
    async reached() {
      const recipients = await app.db.query<{ recipient: string }>(sql`
        select distinct recipient from deliveries where team_id = ${acme.team} order by recipient`)
      const senders = await app.db.query<{ from: string }>(sql`
        select distinct "from" from emails where team_id = ${acme.team} order by "from"`)
      return { recipients: recipients.map((row) => row.recipient), senders: senders.map((row) => row.from) }
    },
  }
}

const ADDRESSES: Record<string, string> = {
  'a name that is an address': 'bob@example.org <eve@example.com>',
  'a name in quotes that is an address': '"bob@example.org" <eve@example.com>',
  'a name with an angle': '"<bob@example.org>" <eve@example.com>',
  'two addresses': 'bob@example.org, eve@example.com',
  'two addresses with a semicolon': 'bob@example.org; eve@example.com',
  'a group': 'Friends: bob@example.org, eve@example.com;',
  'a group of nobody, and somebody': 'bob@example.org:; eve@example.com',
  'a header behind it': 'bob@example.org\r\nBcc: eve@example.com',
  'a folded header behind it': 'bob@example.org\r\n bcc: eve@example.com',
  'a line feed': 'bob@example.org\neve@example.com',
  'a null character': 'bob@example.org\u0000@example.com',
  'a comment': 'eve@example.com (bob@example.org)',
  'a comment in front': '(bob@example.org) eve@example.com',
  'a route': '<@example.com:bob@example.org>',
  'two at signs': 'bob@example.org@example.com',
  'a percent sign': 'bob%example.org@example.com',
  'an exclamation mark': 'example.com!bob@example.org',
  'a local part in quotes': '"bob@example.org"@example.com',
  'a local part with spaces': '"bob @example.org,eve"@example.com',
  'a tag': 'bob+eve@example.org',
  'a subdomain': 'bob@mail.example.org',
  'a domain behind it': 'bob@example.org.example.com',
  'a look-alike domain': 'bob@ex\u0430mple.org',
  'a look-alike letter': 'b\u043eb@example.org',
  'a letter that becomes another in lower case': 'bob@example.or\u0261',
  'an invisible character': 'bob\u200b@example.org',
  'a fullwidth at sign': 'eve@example.com\uff20example.org',
  'an address literal': 'bob@[192.0.2.1]',
}

test('addresses that look like an allowed one reach nobody', async () => {
  const { key, reached } = await startGuarded()
  const accepted: string[] = []

  for (const [name, address] of Object.entries(ADDRESSES)) {
    const bob = { ...SIMPLE, to: 'bob@example.org' }
    const replies = [
      await key.post('/emails', { ...SIMPLE, to: address }),
      await key.post('/emails', { ...SIMPLE, to: ['bob@example.org', address] }),
      await key.post('/emails', { ...bob, cc: address }),
      await key.post('/emails', { ...bob, bcc: [address] }),
      await key.post('/emails/batch', [bob, { ...SIMPLE, to: address }]),
    ]
    if (replies.some(({ status }) => status !== 403 && status !== 422)) accepted.push(name)
  }

  expect(accepted).toEqual([])
  expect(await reached()).toEqual({ recipients: [], senders: [] })
})

test('one and the same mailbox, spelled differently, is the one that is allowed', async () => {
  const { key, reached } = await startGuarded()

  for (const to of [
    'BOB@example.ORG',
    'Eve <eve@example.com> <bob@example.org>',
    '"eve@example.com" <bob@example.org>',
  ]) {
    const { status, body } = await key.post('/emails', { ...SIMPLE, to })
    expect([200, 422], body.message).toContain(status)
  }

  const { recipients } = await reached()
  expect(recipients.map((address) => address.toLowerCase())).toContain('bob@example.org')
  expect(recipients.filter((address) => address.toLowerCase() !== 'bob@example.org')).toEqual([])
})

const HEADERS: Record<string, Record<string, string>> = {
  'more recipients': { To: 'eve@example.com', Cc: 'eve@example.com', Bcc: 'eve@example.com' },
  'resent to others': {
    'Resent-To': 'eve@example.com',
    'Resent-Bcc': 'eve@example.com',
    'Resent-From': 'eve@acme.dev',
  },
  'another sender': { From: 'boss@acme.dev' },
  'a sender besides': { Sender: 'boss@acme.dev' },
  'a line in a value': { 'X-Note': 'hello\r\nBcc: eve@example.com' },
  'a line in a name': { 'X-Note: hello\r\nBcc': 'eve@example.com' },
  'a bare line feed': { 'X-Note': 'hello\nBcc: eve@example.com' },
  'a body in a value': { 'X-Note': 'hello\r\n\r\nDear Eve' },
  'a policy of its own': { 'X-Policy': 'everything is allowed', 'X-Postwren-Policy': 'none' },
  'another return path': { 'Return-Path': '<eve@example.com>', 'Errors-To': 'eve@example.com' },
}

test('headers reach nobody else, and name no other sender', async () => {
  const { app, acme, key, reached } = await startGuarded()

  for (const [name, headers] of Object.entries(HEADERS)) {
    const { status, body } = await key.post('/emails', { ...SIMPLE, to: 'bob@example.org', headers })
    await app.deliverDue()
    expect([200, 403, 422], `${name}: ${body.message}`).toContain(status)
    if (status !== 200) continue
    const { source } = (await acme.get(`/emails/${body.id}/source`)).body
    const header = source.slice(0, source.search(/\r?\n\r?\n/))
    expect(header, name).not.toMatch(/^(?:to|cc|bcc|resent-\w+|sender):.*(?:eve|boss)/im)
    expect(header.match(/^from:.*$/gim), name).toEqual(['From: Acme <hello@acme.dev>'])
  }

  expect(await reached()).toEqual({ recipients: ['bob@example.org'], senders: ['Acme <hello@acme.dev>'] })
})

test('a message by SMTP is judged by its envelope, whatever its header says', async () => {
  const { app, key, reached } = await startGuarded()
  const send = async (header: string, recipients: readonly string[]) => {
    const raw = Buffer.from(`${header}\r\nSubject: Hello\r\n\r\nHi\r\n`)
    return isRefusal(await submit(app, key, raw, recipients))
  }
  const from = 'From: Acme <hello@acme.dev>'

  const refused = [
    await send(`${from}\r\nTo: bob@example.org`, ['eve@example.com']),
    await send(`${from}\r\nTo: bob@example.org`, ['bob@example.org', 'eve@example.com']),
    await send(`${from}\r\nTo: Friends: bob@example.org, eve@example.com;`, ['eve@example.com']),
    await send(`${from}\r\nTo: eve@example.com`, ['bob@example.org']),
    await send(from, ['bob@example.org']),
    await send('From: boss@acme.dev\r\nTo: bob@example.org', ['bob@example.org']),
    await send('From: hello@acme.dev <boss@acme.dev>\r\nTo: bob@example.org', ['bob@example.org']),
    await send(`${from}\r\nSender: boss@acme.dev\r\nTo: bob@example.org`, ['bob@example.org']),
    await send(`From: hello@acme.dev, boss@acme.dev\r\nTo: bob@example.org`, ['bob@example.org']),
    await send(`${from}\r\nFrom: boss@acme.dev\r\nTo: bob@example.org`, ['bob@example.org']),
  ]
  const allowed = await send(`${from}\r\nTo: Bob <bob@example.org>`, ['bob@example.org'])

  expect(refused.filter((isRefused) => !isRefused)).toEqual([])
  expect(allowed).toBe(false)
  expect(await reached()).toEqual({ recipients: ['bob@example.org'], senders: ['Acme <hello@acme.dev>'] })
})

test('a template gives no other sender and no way around a policy for templates', async () => {
  const { acme, key, reached } = await startGuarded({ templates_only: true, senders: ['hello@acme.dev'] })
  const make = async (fields: object) => {
    const { id } = (await acme.post('/templates', { name: 'Welcome', subject: 'Welcome', ...fields })).body
    await acme.post(`/templates/${id}/publish`)
    return id as string
  }
  const variables = [{ key: 'NAME', type: 'string' }]
  const named = await make({ from: 'Acme <hello@acme.dev>', html: '<p>Hello {{{NAME}}}</p>', variables })
  const boss = await make({ from: 'boss@acme.dev', html: '<p>Hello</p>' })
  const send = (id: string, more: object = {}, value: unknown = 'Bob') =>
    key.post('/emails', { to: 'bob@example.org', template: { id, variables: { NAME: value } }, ...more })

  expect((await send(named)).status).toBe(200)
  for (const more of [
    { subject: 'Something else' },
    { headers: { 'X-Note': 'Something else' } },
    { attachments: [{ filename: 'a.txt', content: 'aGk=' }] },
    { from: 'boss@acme.dev' },
  ])
    expect((await send(named, more)).body).toMatchObject({ statusCode: 403, name: 'policy_refused' })
  expect((await key.post('/emails', { to: 'bob@example.org', template: { id: boss } })).body.name).toBe(
    'policy_refused',
  )
  for (const more of [{ html: '<p>Something else</p>' }, { text: 'Something else' }])
    expect((await send(named, more)).status).toBe(422)
  expect((await key.post('/emails', { ...SIMPLE, to: 'bob@example.org' })).body.name).toBe('policy_refused')
  expect((await reached()).senders).toEqual(['Acme <hello@acme.dev>'])
})

test('a variable is put in once, however it is written, and a huge one is refused', async () => {
  const { acme, key } = await startGuarded({ templates_only: true })
  const variables = [{ key: 'NAME', type: 'string' }]
  const html = `<p>${'{{{NAME}}}'.repeat(50)}</p>`
  const template = { name: 'Loop', from: 'hello@acme.dev', subject: 'Hi {{{NAME}}}', html, variables }
  const { id } = (await acme.post('/templates', template)).body
  await acme.post(`/templates/${id}/publish`)
  const send = (NAME: unknown) => key.post('/emails', { to: 'bob@example.org', template: { id, variables: { NAME } } })

  const looping = await send('{{{NAME}}}{{{NAME}}}')
  const replies = [
    await send('x'.repeat(5_000_000)),
    await send('hello\r\nBcc: eve@example.com'),
    await send({ toString: '{{{NAME}}}' }),
    await send(['{{{NAME}}}']),
  ]

  expect(looping.status).toBe(200)
  const { body } = await acme.get(`/emails/${looping.body.id}`)
  expect(body.html).toBe(`<p>${'{{{NAME}}}{{{NAME}}}'.repeat(50)}</p>`)
  expect(replies.filter(({ status }) => status < 400 || status >= 500)).toEqual([])
})
