import { expect, test } from 'vitest'
import { type App, type Client, startApp } from '../../../test/harness/app.ts'
import { guardedKey, noticesTo, press } from '../../../test/harness/approvals.ts'
import { arrive, receivingDomain, written } from '../../../test/harness/arriving.ts'
import { newId } from '../../../test/harness/ids.ts'
import { verify } from '../../../test/harness/receiver.ts'
import { stateOf } from '../../../test/harness/state.ts'
import { addWebhook, startWithReceiver } from '../../../test/harness/webhooks.ts'
import { sql } from '../../kernel/db/sql.ts'
import { LinkSigner } from '../../platform/links.ts'
import { NOTICE_INTERVAL_MS } from '../emails/delivery/approvals/approval.ts'
import { addMember, ensureUser } from '../people/users.ts'

const BETWEEN = NOTICE_INTERVAL_MS / 1_000

/** Somebody who is in no team, and whom no other test knows. */
const stranger = () => `boss-${newId()}@example.com`

async function start(policy: object = { hold: true }) {
  const app = await startApp()
  const acme = await app.as('acme')
  const person = await app.person('acme', 'owner')
  const key = await guardedKey(app, acme, policy)
  const linksTo = async (address = person.email) => (await noticesTo(app, address)).at(-1)!
  const statusOf = async (id: string) => (await acme.get(`/approvals/${id}`)).body.status
  return { app, acme, person, key, linksTo, statusOf }
}

const open = (app: App, url: string, method: 'GET' | 'HEAD' = 'GET') => app.server.inject({ method, url })

test('approvers get one mail at once, and then one for all that came meanwhile', async () => {
  const boss = stranger()
  const { app, acme, person, key } = await start({ hold: { notify: [boss] } })
  await app.person('acme', 'viewer')

  await key.send({ subject: 'First' })
  await app.runDueJobs()
  for (const n of [1, 2, 3]) await key.send({ to: `u${n}@example.org`, subject: 'Others' })
  await app.runDueJobs()
  expect([await noticesTo(app, person.email), await noticesTo(app, boss)]).toMatchObject([
    [{ subject: expect.stringMatching(/^Approve 1 email of acme/) }],
    [{}],
  ])

  app.clock.advance(BETWEEN)
  await app.runDueJobs()
  app.clock.advance(BETWEEN)
  await app.runDueJobs()
  const [first, second, ...more] = await noticesTo(app, person.email)
  expect(more).toEqual([])
  expect(first!.text).toContain('The API key “Agent” of the team acme')
  expect(first!.text).toContain('Subject: First')
  // What is alike is said once.
  expect(second!.text.match(/Subject: Others/g)).toHaveLength(1)
  expect(second!.text).toMatch(/- to u1@example\.org\n- to u2@example\.org\n- to u3@example\.org/)
  // It is no mail of the team, whose keys could read it.
  expect((await acme.get('/messages')).text).not.toContain('/approve/')
  expect((await acme.get('/emails')).text).not.toContain('Approve 1 email')
})

test('a flood of mail makes one mail to each approver in five minutes, and few of them are named', async () => {
  const { app, acme, person, key } = await start()
  const id = await key.send()
  await app.runDueJobs()
  await copies(app, acme, id, 10_000)
  app.clock.advance(BETWEEN)
  for (let turn = 0; turn < 3; turn++) await app.runDueJobs()

  const [, flood, ...more] = await noticesTo(app, person.email)
  expect(more).toEqual([])
  expect(flood!.subject).toMatch(/^Approve 10000 emails of acme/)
  expect(flood!.text).toContain('The links are about the first 100.')
  expect(flood!.text.length).toBeLessThan(5_000)
  const told = await app.db.query<{ count: number }>(sql`
    select count(*)::int as count from approvals where team_id = ${acme.team} and told_at is not null`)
  expect(told).toEqual([{ count: 10_001 }])
})

test('however much mail comes, one round waits to tell of it', async () => {
  const { app, acme, person, key } = await start()
  const waiting = async () => {
    const jobs = await app.db.query<{ isDue: boolean }>(sql`
      select run_at <= ${app.clock.now()} as "isDue" from jobs where name = 'approvals.notify' and key = ${acme.team}`)
    return jobs.map(({ isDue }) => isDue)
  }
  for (let n = 0; n < 2; n++) {
    await key.send()
    await app.runDueJobs()
  }

  for (let n = 0; n < 5; n++) {
    await Promise.all([key.send(), key.send(), app.runDueJobs()])
    expect(await waiting()).toEqual([false])
  }

  app.clock.advance(BETWEEN)
  await app.runDueJobs()
  expect((await noticesTo(app, person.email)).map(({ subject }) => /\d+/.exec(subject)?.[0])).toEqual(['1', '11'])
  expect(await waiting()).toEqual([])
})

test('a team with many members asks some of them, owners first', async () => {
  const boss = stranger()
  const { app, acme, key, person } = await start({ hold: { notify: [boss] } })
  const addresses = Array.from({ length: 60 }, (_, n) => `dev${n}-${newId()}@example.com`)
  for (const address of addresses)
    await addMember(app.db, acme.team, (await ensureUser(app.db, address)).id, 'developer')
  await key.send()
  await app.runDueJobs()

  const [{ count }] = (await app.db.query<{ count: number }>(
    sql`select count(*)::int as count from approval_notices where team_id = ${acme.team}`,
  )) as [{ count: number }]
  expect(count).toBe(51)
  expect(await noticesTo(app, person.email)).toHaveLength(1)
  expect(await noticesTo(app, boss)).toHaveLength(1)
})

test('opening the link shows the email and decides nothing; the button does', async () => {
  const { app, acme, person, key, linksTo, statusOf } = await start()
  const id = await key.send({
    html: '<p>Dear Ada</p>',
    attachments: [{ filename: 'terms.txt', content: 'aGVsbG8=' }],
  })
  await app.runDueJobs()
  const { approve, refuse } = await linksTo()
  const before = await stateOf(app.db, acme.team)

  for (const path of [approve, refuse])
    for (const method of ['GET', 'HEAD'] as const) expect((await open(app, path, method)).statusCode).toBe(200)
  await press(app, approve, [['email', id]])
  await press(app, approve, [['decision', 'approve']])
  expect(await stateOf(app.db, acme.team)).toEqual(before)

  const page = await open(app, approve)
  expect(page.body).toContain('<h1>Approve this email?</h1>')
  expect(page.body).toContain('&lt;p&gt;Dear Ada&lt;/p&gt;')
  const [, file = ''] = /<a href="([^"]*)">terms\.txt<\/a>/.exec(page.body) ?? []
  expect((await open(app, new URL(file).pathname)).body).toBe('hello')

  const done = await press(app, approve, [
    ['decision', 'approve'],
    ['email', id],
  ])
  expect(done.body).toContain('<h1>1 email approved</h1>')
  expect(await statusOf(id)).toBe('approved')
  const replayed = await press(app, refuse, [
    ['decision', 'refuse'],
    ['email', id],
  ])
  expect(replayed.body).toContain(`Already approved by ${person.email}.`)
  expect(await statusOf(id)).toBe('approved')
  const owner = await app.ownerOf(acme)
  expect((await owner.get('/audit-events')).body.data).toContainEqual(
    expect.objectContaining({
      action: 'approvals.decide',
      object_id: id,
      actor: expect.objectContaining({ type: 'user', id: person.userId }),
      details: expect.objectContaining({ decision: 'approved', by: 'link' }),
    }),
  )
})

test('the page shows all that leaves: where answers go, other headers, and a text that is not what the html says', async () => {
  const { app, key, linksTo } = await start()
  await key.send({
    ...{ html: '<p>Dear Ada</p>', text: '<Pay> to eve@evil.test', reply_to: ['Help <eve@evil.test>'] },
    headers: { 'X-Order': '<1>' },
  })
  await app.runDueJobs()

  const { body } = await open(app, (await linksTo()).approve)

  expect(body).toContain('<dt>Reply-To</dt><dd>Help &lt;eve@evil.test&gt;</dd>')
  expect(body).toContain('<dt>Headers</dt><dd>X-Order: &lt;1&gt;</dd>')
  expect(body).toMatch(/<h2>Text version<\/h2>.*<pre [^>]*>&lt;Pay&gt; to eve@evil\.test<\/pre>/s)
})

test('several are decided about together, or some of them', async () => {
  const { app, key, linksTo, statusOf } = await start()
  const ids: string[] = []
  for (const n of [1, 2, 3]) ids.push(await key.send({ to: `u${n}@example.org` }))
  await app.runDueJobs()
  const { approve } = await linksTo()

  const page = await open(app, `${approve}&email=${ids[1]}`)
  expect(page.body.match(/type="checkbox"/g)).toHaveLength(3)
  expect(page.body).toContain('<dt>To</dt><dd>u2@example.org</dd>')

  await press(app, approve, [
    ['decision', 'refuse'],
    ['email', ids[0]!],
    ['email', newId()],
  ])
  await press(app, approve, [['decision', 'approve'], ...ids.map((id): [string, string] => ['email', id])])
  expect(await Promise.all(ids.map(statusOf))).toEqual(['refused', 'approved', 'approved'])
})

test('a link is of no use when it was tampered with, is of another team, or its time is over', async () => {
  const { app, acme, key, linksTo, statusOf } = await start({ hold: { expires_in_hours: 1 } })
  const globex = await app.as('globex')
  await app.person('globex', 'owner')
  const id = await key.send()
  await app.runDueJobs()
  const { approve } = await linksTo()
  const [, token = '', secret = ''] = /^\/approve\/([^?]+)\?approval=([\w-]+)/.exec(approve) ?? []
  const [content = ''] = token.split('.')
  const payload = JSON.parse(Buffer.from(content, 'base64url').toString())
  const links = new LinkSigner([app.sealer.deriveKey('links')])
  const ends = new Date(app.clock.now().getTime() + 60_000)
  const forged = [
    `/approve/${token}`,
    `/approve/${token}?approval=${'A'.repeat(43)}`,
    `/approve/${token}x?approval=${secret}`,
    `/approve/x?approval=${secret}`,
    `/approve/${links.sign('approval', { ...payload, team: globex.team }, ends)}?approval=${secret}`,
    `/approve/${links.sign('approval', { ...payload, notice: newId() }, ends)}?approval=${secret}`,
    `/approve/${links.sign('unsubscribe', payload, ends)}?approval=${secret}`,
    `/approve/${new LinkSigner([Buffer.alloc(32)]).sign('approval', payload, ends)}?approval=${secret}`,
  ]
  for (const url of forged) {
    expect((await open(app, url)).statusCode, url).toBe(404)
    expect(
      (
        await press(app, url, [
          ['decision', 'approve'],
          ['email', id],
        ])
      ).statusCode,
      url,
    ).toBe(404)
  }
  expect(await statusOf(id)).toBe('waiting')
  app.clock.advance(3_601)
  expect(
    (
      await press(app, approve, [
        ['decision', 'approve'],
        ['email', id],
      ])
    ).statusCode,
  ).toBe(404)
  expect((await acme.events()).filter(({ type }) => type === 'approval.approved')).toEqual([])
})

test('whoever may not decide any more has a link that is not valid any more', async () => {
  const boss = stranger()
  const { app, acme, person, key, linksTo, statusOf } = await start({ hold: { notify: [boss] } })
  await app.person('acme', 'owner')
  const id = await key.send()
  await app.runDueJobs()
  const [mine, theirs] = [await linksTo(), await linksTo(boss)]
  expect((await open(app, theirs.approve)).statusCode).toBe(200)

  await app.db.query(sql`delete from memberships where team_id = ${acme.team} and user_id = ${person.userId}`)
  await acme.patch(`/api-keys/${key.id}`, { policy: { hold: true } })

  for (const { approve } of [mine, theirs])
    expect(
      (
        await press(app, approve, [
          ['decision', 'approve'],
          ['email', id],
        ])
      ).statusCode,
    ).toBe(404)
  expect(await statusOf(id)).toBe('waiting')
})

test('a link ends when its mail comes to where a key of the team could read it', async () => {
  const { app, acme, key, linksTo } = await start()
  const { domain } = await receivingDomain(acme)
  await key.send()
  await app.runDueJobs()
  const { text, approve } = await linksTo()
  expect((await open(app, approve)).statusCode).toBe(200)

  await arrive(app, written({ body: `Look:\r\n> ${text.replaceAll('\n', '\r\n> ')}` }), { to: [`desk@${domain}`] })
  await app.runDueJobs()

  expect((await open(app, approve)).statusCode).toBe(404)
})

test('nothing is decided by link for a team that is suspended', async () => {
  const { app, acme, key, linksTo, statusOf } = await start()
  const id = await key.send()
  await app.runDueJobs()
  const { approve } = await linksTo()
  await app.db.query(sql`update teams set suspended_at = now(), suspended_reason = 'x' where id = ${acme.team}`)
  await app.services.teamStates.refresh()

  const reply = await press(app, approve, [
    ['decision', 'approve'],
    ['email', id],
  ])

  expect(reply.statusCode).toBe(403)
  await app.db.query(sql`update teams set suspended_at = null, suspended_reason = null where id = ${acme.team}`)
  await app.services.teamStates.refresh()
  expect(await statusOf(id)).toBe('waiting')
})

test('what a hostile sender writes is text, and runs nowhere', async () => {
  const { app, key, linksTo } = await start()
  const subject = '"><script>alert(1)</script> https://evil.example/now'
  const id = await key.send({
    ...{ subject, from: '"<img src=x onerror=alert(2)>" <agent@acme.dev>', to: '"</a><script>" <ada@example.org>' },
    html: '"></iframe><script>alert(3)</script><form action="https://evil.example"><button>Approve</button></form>',
  })
  await app.runDueJobs()
  const { approve, html, text } = await linksTo()

  const page = await open(app, approve)
  for (const body of [page.body, html]) {
    expect(body).not.toMatch(/<script|<img|<\/iframe><|onerror=(?!.*&gt;)/)
    expect(body).toContain('&lt;script&gt;alert(1)')
  }
  expect(page.body.match(/<iframe sandbox="" /g)).toHaveLength(1)
  expect(page.headers['content-security-policy']).toMatch(
    /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
  )
  expect(page.headers['content-security-policy']).not.toContain('script-src')
  expect(page.headers['referrer-policy']).toBe('no-referrer')
  // No mail client makes a link of it.
  expect(text).toContain('https evil[.]example/now')
  expect(text).not.toContain('evil.example')
  expect(id).toBeTruthy()
})

test('webhooks are told, signed', async () => {
  const { app, acme, receiver } = await startWithReceiver()
  const events = ['approval.requested', 'approval.approved', 'approval.refused', 'approval.expired', 'email.sent']
  const { secret } = await addWebhook(acme, receiver.url, events)
  const key = await guardedKey(app, acme, { hold: { expires_in_hours: 1 } })
  const [yes, no, late] = [await key.send(), await key.send(), await key.send()]
  await acme.post(`/approvals/${yes}/approve`)
  await acme.post(`/approvals/${no}/refuse`)
  app.clock.advance(3_600)
  await app.runDueJobs()
  await app.deliverWebhooks()

  const told = receiver.received.map(({ event }) => `${event.type} ${event.data.email_id}`)
  expect(told.sort()).toEqual(
    [
      ...[yes, no, late].map((id) => `approval.requested ${id}`),
      ...[`approval.approved ${yes}`, `approval.refused ${no}`, `approval.expired ${late}`, `email.sent ${yes}`],
    ].sort(),
  )
  for (const one of receiver.received) verify(one, secret)
  const approved = receiver.received.find(({ event }) => event.type === 'approval.approved')!.event.data
  expect(approved).toMatchObject({
    ...{ status: 'approved', policy_id: key.id, holder: { kind: 'api_key', id: key.id }, subject: 'Hello' },
    ...{ from: 'agent@acme.dev', to: ['ada@example.org'], decided_by: expect.stringMatching(/^key of acme/) },
  })
})

/** Mail like this one, as if somebody had sent it so often. */
async function copies(app: App, { team }: Client, id: string, count: number) {
  const ids = Array.from({ length: count }, () => newId())
  await app.db.query(sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select team_id, given.id, message_id, "from", "to", subject, last_event, created_at
    from emails, unnest(${ids}::uuid[]) given (id) where team_id = ${team} and emails.id = ${id}`)
  await app.db.query(sql`
    insert into approvals (team_id, email_id, policy_id, holder, status, expires_at)
    select team_id, given.id, policy_id, holder, status, expires_at
    from approvals, unnest(${ids}::uuid[]) given (id) where team_id = ${team} and email_id = ${id}`)
  await app.db.query(sql`
    insert into jobs (id, name, payload, run_at, key, created_at)
    values (gen_random_uuid(), 'approvals.notify', ${JSON.stringify({ team })}::jsonb, now(), ${team}, now())`)
}
