import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type App, type Client, type Person, startApp } from '../../../test/harness/app.ts'
import { arrive, receivingDomain, submit, written } from '../../../test/harness/arriving.ts'
import { cookieOf, FROM_OUR_PAGE } from '../../../test/harness/browser-session.ts'
import { SIMPLE } from '../../../test/harness/emails.ts'
import { readableLog } from '../../../test/harness/log.ts'
import { raw, sql } from '../../kernel/db/sql.ts'
import { SYSTEM_MARK_HEADER, systemMark } from '../../mail/system-mark.ts'
import type { Sender } from '../emails/delivery/transport/sender.ts'
import { acceptAsNewUser } from './invitations.ts'
import { ensureUser } from './users.ts'

const RELAY = { POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1', POSTWREN_HOSTNAME: 'mx.acme.dev' }

/** What the relay does with a message on its way back to us; null: it goes elsewhere. */
type Relay = (message: Buffer) => Buffer | null

/** An installation whose mail leaves by a relay, which brings back what is for the domain of a team that receives. */
async function startReceiving(relay: Relay = (message) => message) {
  const { log, text, saying } = readableLog()
  const sent: Buffer[] = []
  const answers: unknown[] = []
  const sender: Sender = {
    async send(_destination, envelope, message) {
      sent.push(message)
      const back = relay(message)
      // Before the delivery is settled, as from a relay that is quicker than we are.
      if (back) answers.push(await arrive(app, back, { to: envelope.to.map(String), from: String(envelope.from) }))
      return envelope.to.map(() => ({ kind: 'delivered', reply: '250 Ok' }))
    },
    pausedUntil: () => null,
    close: async () => {},
  }
  const app: App = await startApp(RELAY, { sender, log })
  const client = await app.as('acme')
  const { domain } = await receivingDomain(client)
  await app.db.query(sql`update domains set is_receiving_proven = true, status = 'verified' where name = ${domain}`)
  const owner = await ownerAt(app, client, `ada@${domain}`)
  expect((await client.post('/inboxes', { email_address: owner.email })).status).toBe(201)
  return { app, client, owner, domain, sent, answers, log: { text, saying } }
}

type Installation = Awaited<ReturnType<typeof startReceiving>>

/** An owner whose address is one of the domain that the team receives for. */
async function ownerAt(app: App, { team }: Client, email: string) {
  const { id } = await ensureUser(app.db, email)
  await app.db.query(sql`
    insert into memberships (team_id, user_id, role, created_at) values (${team}, ${id}, 'owner', now())`)
  return { id, email }
}

const knock = (app: App, url: string, payload: object) =>
  app.send({ method: 'POST', url: `/dashboard/${url}`, payload, headers: FROM_OUR_PAGE })

/** Asks for a link as anybody may, and gives the token of the mail that left. */
async function askForLink({ app, owner, sent }: Installation): Promise<string> {
  const { status } = await knock(app, 'sign-in/link', { email: owner.email })
  expect(status).toBe(200)
  await app.runDueJobs()
  await app.deliverDue()
  await app.runDueJobs()
  await app.fileMail()
  return tokenIn(sent.at(-1)!)
}

/** As our own messages have it. */
const tokenIn = (message: Buffer) =>
  /#(?:sign-in|verify|invitation)(?:=3D|=)([\w-]{43})/.exec(message.toString().replace(/=\r\n/g, ''))![1]!

/** All that is kept anywhere, except for what the system team has sent, as text and as bytes. */
async function keptAnywhere(app: App, token: string): Promise<string[]> {
  const tables = await app.db.query<{ name: string }>(sql`
    select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and pg_table_is_visible(c.oid)
      and c.relnamespace = 'public'::regnamespace and c.relname <> 'email_bodies'`)
  const found: string[] = []
  const hex = Buffer.from(token).toString('hex')
  for (const { name } of tables) {
    const rows = await app.db.query(sql`
      select 1 as found from ${raw(name)} t where t::text like ${`%${token}%`} or t::text like ${`%${hex}%`} limit 1`)
    if (rows.length > 0) found.push(name)
  }
  return [...found, ...filesWith(app.folder, token)]
}

const filesWith = (folder: string, token: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return filesWith(path, token)
    return readFileSync(path).includes(token) ? [path] : []
  })

const strip = (message: Buffer, ...names: string[]) => {
  const [header, ...body] = message.toString().split('\r\n\r\n')
  const kept = header!.split(/\r\n(?![ \t])/).filter((line) => !names.some((name) => line.startsWith(`${name}:`)))
  return Buffer.from([kept.join('\r\n'), ...body].join('\r\n\r\n'))
}

const asWhom = async (app: App, token: string) => {
  const entered = await knock(app, 'sign-in', { token })
  if (entered.status !== 200) return entered.status
  const headers = { ...FROM_OUR_PAGE, cookie: cookieOf(entered) }
  return (await app.send({ url: '/dashboard/session', headers })).body.user.email
}

test.each<[string, Relay]>([
  ['as it left', (message) => message],
  ['with a Message-ID of the relay', (message) => rewriteId(message)],
  ['without unknown headers', (message) => strip(message, SYSTEM_MARK_HEADER)],
  ['forwarded by the mailbox of its recipient', (message) => Buffer.concat([TRACE, message])],
])('nobody who reads the mail of a team gets a sign-in link that comes back %s', async (_how, relay) => {
  const at = await startReceiving(relay)
  const { app, client, owner, answers, log } = at

  const token = await askForLink(at)

  expect(answers).toEqual([{ kind: 'accepted', message: 'thank you' }])
  expect(await keptAnywhere(app, token)).toEqual([])
  for (const path of ['/emails/receiving', '/messages', '/emails', '/inboxes/threads'])
    expect((await client.get(path)).text).not.toContain(token)
  expect((await client.get('/emails/receiving')).body.data).toEqual([])
  expect((await client.events()).filter(({ type }) => type === 'email.received')).toEqual([])
  expect(log.text()).not.toContain(token)
  expect(log.saying('inbound: withheld system mail from a team')).toMatchObject([{ teams: [client.team] }])
  // The link is as good as it was, for whoever has got it another way.
  expect(await asWhom(app, token)).toBe(owner.email)
})

const TRACE = Buffer.from('Received: from mail.example.org by mx.example.net; Mon, 16 Nov 2026 10:00:00 +0000\r\n')

const rewriteId = (message: Buffer) =>
  Buffer.concat([Buffer.from('Message-ID: <0100019a@email.amazonses.com>\r\n'), strip(message, 'Message-ID')])

const unmarked = (message: Buffer) => strip(message, SYSTEM_MARK_HEADER, 'Message-ID')

const asAttachment = (message: Buffer) =>
  written({
    headers: ['Content-Type: multipart/mixed; boundary=outer'],
    body: [
      ...['--outer', 'Content-Type: text/plain', '', 'See below.', '--outer', 'Content-Type: message/rfc822', ''],
      ...[message.toString(), '--outer--', ''],
    ].join('\r\n'),
  })

const inBase64 = (message: Buffer) =>
  written({
    headers: ['Content-Type: text/html; charset=utf-8', 'Content-Transfer-Encoding: base64'],
    body: Buffer.from(
      `<a href="https://safe.example/?url=https%3A%2F%2Fa.b%2Fdashboard%23sign-in%3D${tokenIn(message)}">`,
    )
      .toString('base64')
      .replace(/.{76}/g, '$&\r\n'),
  })

const quoted = (message: Buffer) => {
  const token = tokenIn(message)
  const lines = [
    'Is this yours?',
    '',
    `> Sign in: https://a.b/dashboard#sign-in=${token.slice(0, 20)}`,
    `> ${token.slice(20)}`,
  ]
  return written({ body: lines.join('\r\n') })
}

test.each<[string, Relay]>([
  ['from a relay that leaves nothing of its header', unmarked],
  ['attached to another one', asAttachment],
  ['through a scanner of links', inBase64],
  ['quoted in an answer', quoted],
])('a link that comes %s has ended before anybody can see it', async (_how, relay) => {
  const at = await startReceiving(relay)
  const { app, client, log } = at

  const token = await askForLink(at)

  expect((await client.get('/emails/receiving')).body.data).toHaveLength(1)
  expect(await asWhom(app, token)).toBe(403)
  expect(log.saying('inbound: revoked sign-in links found in received mail')).toMatchObject([
    { team: client.team, links: 1 },
  ])
})

test('whoever asks for a message before a job has read it gets no link either', async () => {
  const at = await startReceiving(unmarked)
  const { app, client, owner, sent } = at
  await knock(app, 'sign-in/link', { email: owner.email })
  await app.runDueJobs()
  await app.deliverDue()

  const [{ id }] = (await app.db.query<{ id: string }>(sql`
    select id from received_emails where team_id = ${client.team} and read_at is null`)) as [{ id: string }]
  expect((await client.get(`/emails/receiving/${id}`)).status).toBe(200)

  expect(await asWhom(app, tokenIn(sent.at(-1)!))).toBe(403)
})

test('an invitation is withheld like a link, and ends like one', async () => {
  const { app, client, sent, domain } = await startReceiving((message) =>
    message.includes(`lost@${domain}`) ? unmarked(message) : message,
  )
  const admin: Person = await app.person('acme', 'admin')
  const invite = async (email: string) => {
    await admin.post('/invitations', { email, role: 'admin' })
    await app.deliverDue()
    await app.runDueJobs()
    return tokenIn(sent.at(-1)!)
  }

  const withheld = await invite(`bob@${domain}`)
  expect((await client.get('/emails/receiving')).body.data).toEqual([])
  const ended = await invite(`lost@${domain}`)
  expect((await client.get('/emails/receiving')).body.data).toHaveLength(1)

  expect(await app.db.transaction((trx) => acceptAsNewUser(trx, withheld, { isMailKept: false }))).toMatchObject({
    email: `bob@${domain}`,
  })
  await expect(app.db.transaction((trx) => acceptAsNewUser(trx, ended, { isMailKept: false }))).rejects.toThrow(
    'has expired',
  )
})

test('nobody can hide mail by a mark of their own, and what names an old mail is shown', async () => {
  const at = await startReceiving()
  const { app, client, owner, sent } = at
  await askForLink(at)
  const id = '019a8d3c-0000-7000-8000-000000000001'
  const headers = [
    `${SYSTEM_MARK_HEADER}: ${systemMark(id, Buffer.alloc(32))}`,
    `In-Reply-To: ${/^Message-ID: (\S+)/im.exec(sent[0]!.toString())![1]}`,
    `References: ${/^Message-ID: (\S+)/im.exec(sent[0]!.toString())![1]}`,
  ]

  await arrive(app, written({ headers }), { to: [owner.email] })
  await arrive(app, written({ body: `#sign-in=${'x'.repeat(43)}\r\n` }), { to: [owner.email] })
  await app.runDueJobs()

  expect((await client.get('/emails/receiving')).body.data).toHaveLength(2)
})

test('nobody forwards mail of the installation through a team', async () => {
  const at = await startReceiving(() => null)
  const { app, client, owner, sent, domain } = at
  const token = await askForLink(at)
  await app.db.query(sql`update domains set is_sending_verified = true where name = ${domain}`)

  const forwarded = await submit(app, client, sent[0]!, ['grace@acme.dev'])
  expect(forwarded).toMatchObject({ kind: 'refused', code: 550, enhanced: '5.7.1' })
  const quote = written({ from: owner.email, to: 'grace@acme.dev', body: `https://a.b/dashboard#sign-in=${token}\r\n` })
  expect(await submit(app, client, quote, ['grace@acme.dev'])).toMatchObject({ kind: 'accepted' })

  expect(await asWhom(app, token)).toBe(403)
})

test('whoever asks for a link is told that mail to this address is withheld, whether they are known or not', async () => {
  const { app, owner, domain } = await startReceiving()
  const ask = async (email: string) => (await knock(app, 'sign-in/link', { email })).body.is_received_here

  expect(await Promise.all([ask(owner.email), ask(`nobody@${domain}`), ask('ada@example.org')])).toEqual([
    true,
    true,
    false,
  ])
})

/** These know keys alone, but on a laptop. */
const isMailpit = (path: string) => path.startsWith('/api/') || path.startsWith('/view/')

test('on a laptop it is among the mail of the team that it is about, and of no other', async () => {
  const app = await startApp()
  const [client, stranger] = [await app.as('acme'), await app.as('globex')]
  const ada = await app.person('acme', 'owner')
  await knock(app, 'sign-in/link', { email: ada.email })
  await ada.post('/invitations', { email: 'grace@example.org', role: 'viewer' })
  await app.runDueJobs()
  await app.deliverDue()

  const shown = (await client.get('/messages')).body.data
  expect(shown.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
    'Sign in to Postwren',
    expect.stringMatching(/invited you to .* on Postwren$/),
  ])
  const { links } = (await client.get(`/messages/${shown[0].id}`)).body
  expect(JSON.stringify(links)).toMatch(/#(sign-in|invitation)=/)
  expect((await stranger.get('/messages')).body.data).toEqual([])
})

test('on a laptop it is none of the emails that the team has sent, however one looks for them', async () => {
  const app = await startApp()
  const [client, ada] = [await app.as('acme'), await app.person('acme', 'owner')]
  const { id } = (await client.post('/emails', { ...SIMPLE, to: 'grace@example.org', subject: 'Postwren' })).body
  // One is delivered, the others bounce: emails of a rare status are found by a list of their own.
  for (const email of ['grace@example.org', 'bounced@resend.dev', 'bounced+2@resend.dev'])
    await ada.post('/invitations', { email, role: 'viewer' })
  await app.deliverDue()
  await app.flush()

  const listed = async (query: string) =>
    (await client.get(`/emails?${query}`)).body.data.map((email: { id: string }) => email.id)
  const finding = ['', 'limit=100', 'to=grace@example.org', 'to=grace', 'status=delivered', 'q=postwren', 'q=to:grace']
  for (const query of [...finding, 'status=delivered&to=grace@example.org'])
    expect([query, await listed(query)]).toEqual([query, [id]])
  const bounced = [
    'status=bounced',
    'status=bounced&to=resend.dev',
    'status=bounced&to=resend.dev&limit=1',
    'to=bounced@resend.dev',
    'q=status:bounced',
  ]
  for (const query of [...bounced, 'q=bounced', 'tag=a']) expect([query, await listed(query)]).toEqual([query, []])
  const messages = (await client.get('/messages')).body.data as { id: string }[]
  expect(messages).toHaveLength(4)
  const statuses = await Promise.all(
    messages.map(async (message) => (await client.get(`/emails/${message.id}`)).body.last_event),
  )
  expect(statuses.sort()).toEqual(['bounced', 'bounced', 'delivered', 'delivered'])
})

test.each([{ POSTWREN_PUBLIC_URL: 'https://mail.example.com' }, { POSTWREN_HOST: '0.0.0.0' }])(
  'where others can be, the mail is in no list of a team and is found by nobody who has its id, though nothing leaves',
  async (env) => {
    const { log, saying } = readableLog()
    const app = await startApp(env, { log })
    const [client, ada] = [await app.as('acme'), await app.person('acme', 'owner')]
    await knock(app, 'sign-in/link', { email: ada.email })
    await app.runDueJobs()
    await app.deliverDue()
    const token = String(saying('people: Sign in to Postwren')[0]!.link).split('=')[1]!
    const system = await app.services.systemTeam()
    const [{ id }] = (await app.db.query<{ id: string }>(sql`
    select id from emails where team_id = ${system} and "to" ->> 0 = ${ada.email}`)) as [{ id: string }]

    const lists = [
      '/emails',
      '/messages',
      '/emails/receiving',
      '/logs',
      '/api/v1/messages',
      '/api/v1/search?query=Postwren',
    ]
    for (const path of lists) {
      const { status, text } = await client.get(path)
      expect([path, status, text.includes(id), text.includes(token)]).toEqual([path, 200, false, false])
    }
    const ones = [`/emails/${id}`, `/messages/${id}`, `/emails/receiving/${id}`]
    for (const path of [...ones, `/api/v1/message/${id}`, `/api/v1/message/${id}/raw`, `/view/${id}.html`])
      for (const asked of [client, ada])
        expect([path, (await asked.get(path)).status]).toEqual([path, asked === ada && isMailpit(path) ? 401 : 404])
  },
)
