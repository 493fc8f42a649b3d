import { expect, test } from 'vitest'
import { type App, type Person, startApp } from '../../../../test/harness/app.ts'
import { FROM_OUR_PAGE } from '../../../../test/harness/browser-session.ts'
import { mailsTo } from '../../../../test/harness/emails.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { removeUser } from '../directory.ts'
import { acceptAsNewUser } from '../invitations.ts'

const DAY = 86_400

let addresses = 0
const address = () => `grace-${++addresses}-${Math.random().toString(36).slice(2)}@example.org`

/** The tokens of the mails to an address, oldest first. */
async function tokensFor(app: App, email: string): Promise<string[]> {
  const mails = await mailsTo(app, email)
  return mails.map(({ text }) => /#invitation=(\S+)/.exec(text)![1]!)
}

const tokenFor = async (app: App, email: string) => (await tokensFor(app, email)).at(-1)!

const look = (app: App, token: string) =>
  app.send({ method: 'POST', url: '/dashboard/invitation', payload: { token }, headers: FROM_OUR_PAGE })

const accept = (app: App, token: string) =>
  app.db.transaction((trx) => acceptAsNewUser(trx, token, { isMailKept: false }))

test('somebody is invited by a mail of Postwren, and joins with what is in it', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const email = address()

  const { status, body } = await ada.post('/invitations', { email, role: 'developer' })
  expect([status, body]).toEqual([201, { object: 'invitation', id: expect.any(String) }])
  expect((await ada.get('/invitations')).body.data).toMatchObject([
    { id: body.id, email, role: 'developer', invited_by: ada.email },
  ])

  const token = await tokenFor(app, email)
  const { name } = (await ada.get('/team')).body
  expect((await look(app, token)).body).toEqual({
    object: 'invitation',
    ...{ team: name, role: 'developer', email, invited_by: ada.email, has_account: false },
    needs_confirmation: false,
  })
  const accepted = await accept(app, token)
  expect(accepted).toMatchObject({ team: ada.team, email, role: 'developer' })
  expect((await ada.get('/members')).body.data[0]).toMatchObject({ id: accepted.userId, email, role: 'developer' })
  expect((await ada.get('/invitations')).body.data).toEqual([])
})

test('whoever has the link has the address: nobody but the mail tells it', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const email = address()

  const replies = [await ada.post('/invitations', { email, role: 'viewer' }), await ada.get('/invitations')]
  await app.flush()
  const token = await tokenFor(app, email)

  for (const { text } of [...replies, await ada.get('/emails'), await ada.get('/logs')])
    expect(text).not.toContain(token)
  const rows = await app.db.query(sql`select i::text from invitations i where team_id = ${ada.team}`)
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('an invitation is good once, whoever is first', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const [known, email] = [await app.person('globex', 'viewer'), address()]
  await ada.post('/invitations', { email, role: 'viewer' })
  await ada.post('/invitations', { email: known.email, role: 'viewer' })
  const [token, forKnown] = [await tokenFor(app, email), await tokenFor(app, known.email)]

  const both = await Promise.allSettled([accept(app, token), accept(app, token)])
  const replies = await Promise.all([1, 2].map(() => known.post('/invitations/accept', { token: forKnown })))

  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 404])
  expect((await known.post('/invitations/accept', { token: forKnown })).body.name).toBe('not_found')
  expect((await look(app, token)).status).toBe(404)
})

test('who has an account joins after signing in to it, and the mail alone opens nothing', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'admin'), await app.person('globex', 'owner')]
  await ada.post('/invitations', { email: bob.email.toUpperCase(), role: 'viewer' })
  const token = await tokenFor(app, bob.email.toUpperCase())

  expect((await look(app, token)).body).toMatchObject({ has_account: true })
  await expect(accept(app, token)).rejects.toThrow(/already has an account\. Sign in/)
  expect((await bob.post('/invitations/accept', { token })).body).toEqual({ object: 'team', id: ada.team })

  expect((await bob.get('/team', { 'x-postwren-team': ada.team })).status).toBe(200)
  const { data } = (await ada.get('/members')).body
  expect(data).toContainEqual(expect.objectContaining({ id: bob.userId, email: bob.email, role: 'viewer' }))
})

test('who has signed in sees the invitations to their address, and joins without the mail', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'admin'), await app.person('globex', 'owner')]
  const { id } = (await ada.post('/invitations', { email: bob.email.toUpperCase(), role: 'viewer' })).body
  const { name } = (await ada.get('/team')).body

  expect((await bob.get('/account/invitations')).body.data).toMatchObject([
    { id, team: name, role: 'viewer', invited_by: ada.email },
  ])
  expect((await ada.get('/account/invitations')).body.data).toEqual([])
  expect((await ada.post('/invitations/accept', { invitation_id: id })).body.name).toBe('not_found')
  expect((await bob.post('/invitations/accept', {})).body.name).toBe('missing_required_field')
  expect((await bob.post('/invitations/accept', { invitation_id: id })).body).toEqual({ object: 'team', id: ada.team })
  expect((await bob.post('/invitations/accept', { invitation_id: id })).status).toBe(404)
  expect((await bob.get('/account/invitations')).body.data).toEqual([])
})

test('who is signed in as somebody else is told so, and the invitation stays', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'admin'), await app.person('globex', 'owner')]
  const email = address()
  await ada.post('/invitations', { email, role: 'viewer' })
  const token = await tokenFor(app, email)

  const { status, body } = await bob.post('/invitations/accept', { token })

  expect([status, body.name]).toEqual([403, 'invalid_permission'])
  expect(body.message).toMatch(`This invitation is for ${email}, and you are signed in as ${bob.email}.`)
  expect(await accept(app, token)).toMatchObject({ email })
})

test('an account that was made meanwhile is not opened by an older invitation', async () => {
  const app = await startApp()
  const [ada, globex] = [await app.person('acme', 'admin'), await app.person('globex', 'admin')]
  const email = address()
  await ada.post('/invitations', { email, role: 'viewer' })
  await globex.post('/invitations', { email, role: 'viewer' })
  const [first, second] = await tokensFor(app, email)

  const both = await Promise.allSettled([accept(app, first!), accept(app, second!)])

  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('no address of ours carries the token of an invitation', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const email = address()
  await ada.post('/invitations', { email, role: 'viewer' })
  const token = await tokenFor(app, email)

  const asked = await app.send({ url: `/dashboard/invitation?token=${token}`, headers: FROM_OUR_PAGE })

  expect(asked.text).not.toContain(email)
})

test.each([
  ['removed', async ({ owner, ada }: Pair) => (await owner.delete(`/members/${ada.userId}`)).status],
  [
    'demoted',
    async ({ owner, ada }: Pair) => (await owner.patch(`/members/${ada.userId}`, { role: 'developer' })).status,
  ],
  ['leaving', async ({ ada }: Pair) => (await ada.post(`/teams/${ada.team}/leave`)).status],
  ['deleted', async ({ app, ada }: Pair) => void (await app.db.transaction((trx) => removeUser(trx, ada.email)))],
])('an invitation ends with a maker who is %s', async (_how, end) => {
  const app = await startApp()
  const [owner, ada] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]
  const [email, kept] = [address(), address()]
  await ada.post('/invitations', { email, role: 'admin' })
  await owner.post('/invitations', { email: kept, role: 'admin' })
  const token = await tokenFor(app, email)

  await end({ app, owner, ada })

  expect((await look(app, token)).status).toBe(404)
  await expect(accept(app, token)).rejects.toThrow('has expired')
  const { data } = (await owner.get('/invitations')).body
  expect(data.map((one: { email: string }) => one.email)).toEqual([kept])
})

interface Pair {
  readonly app: App
  readonly owner: Person
  readonly ada: Person
}

test('an owner who becomes an admin keeps the invitations that an admin may make', async () => {
  const app = await startApp()
  const [owner, ada] = [await app.person('acme', 'owner'), await app.person('acme', 'owner')]
  const [first, second] = [address(), address()]
  await ada.post('/invitations', { email: first, role: 'owner' })
  await ada.post('/invitations', { email: second, role: 'admin' })

  await owner.patch(`/members/${ada.userId}`, { role: 'admin' })

  await expect(accept(app, await tokenFor(app, first))).rejects.toThrow('has expired')
  expect(await accept(app, await tokenFor(app, second))).toMatchObject({ role: 'admin' })
})

test('whoever sends an invitation again is its maker from then on', async () => {
  const app = await startApp()
  const [owner, ada] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body
  await owner.post(`/invitations/${id}/resend`)

  await owner.delete(`/members/${ada.userId}`)

  expect((await look(app, await tokenFor(app, email))).body).toMatchObject({ invited_by: owner.email })
})

test('who invites while they are removed leaves no invitation behind', async () => {
  const app = await startApp()
  const [owner, ada] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]
  const emails = [1, 2, 3, 4].map(address)
  const { id } = (await ada.post('/invitations', { email: address(), role: 'viewer' })).body

  await Promise.all([
    ...emails.map((email) => ada.post('/invitations', { email, role: 'viewer' })),
    ada.post(`/invitations/${id}/resend`),
    owner.delete(`/members/${ada.userId}`),
  ])

  expect((await owner.get('/invitations')).body.data).toEqual([])
})

test('the name of a team is no bait in mail that comes from us', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'owner')
  const bait = `Urgent\u202e\u200b: https://evil.example/${ada.userId} ${'!'.repeat(30)}`
  expect((await ada.patch('/team', { name: bait })).status).toBe(200)
  const email = address()
  await ada.post('/invitations', { email, role: 'viewer' })

  const [mail] = await mailsTo(app, email)

  const inviting = `${ada.email} invited you to `
  expect(mail!.subject.startsWith(inviting)).toBe(true)
  const rest = mail!.subject.slice(inviting.length)
  expect(rest).toMatch(/^Urgent: https evil\[\.\]example\/.{20,30}… on Postwren$/)
  expect(rest.length).toBeLessThanOrEqual(80)
  for (const part of [mail!.text, mail!.html]) expect(part).not.toMatch(/evil\.example|\u202e|\u200b/)
})

test('it runs out after a week, and sending it again makes another link', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body

  app.clock.advance(7 * DAY)
  const first = await tokenFor(app, email)
  await expect(accept(app, first)).rejects.toThrow('has expired')
  expect((await ada.post(`/invitations/${id}/resend`)).status).toBe(200)

  const [, second] = await tokensFor(app, email)
  await expect(accept(app, first)).rejects.toThrow('has expired')
  expect(await accept(app, second!)).toMatchObject({ email })
  expect((await ada.post(`/invitations/${id}/resend`)).status).toBe(404)
})

test('what is withdrawn opens nothing', async () => {
  const app = await startApp()
  const [ada, stranger] = [await app.person('acme', 'admin'), await app.person('globex', 'admin')]
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body

  expect((await stranger.delete(`/invitations/${id}`)).status).toBe(404)
  expect((await ada.delete(`/invitations/${id}`)).body).toEqual({ object: 'invitation', id, deleted: true })

  await expect(accept(app, await tokenFor(app, email))).rejects.toThrow('has expired')
})

test('nobody is invited twice, nor who is a member, nor as more than the one who invites', async () => {
  const app = await startApp()
  const [ada, viewer] = [await app.person('acme', 'admin'), await app.person('acme', 'viewer')]
  const email = address()
  await ada.post('/invitations', { email, role: 'viewer' })

  const messages = await Promise.all(
    [
      { email: email.toUpperCase(), role: 'viewer' },
      { email: viewer.email, role: 'admin' },
      { email: address(), role: 'owner' },
      { email: 'nobody', role: 'viewer' },
      { email: address(), role: 'king' },
    ].map(async (body) => (await ada.post('/invitations', body)).body.message),
  )

  expect(messages.slice(0, 3)).toEqual([
    'This person is already invited. Resend the invitation instead.',
    'This person is already a member of the team.',
    'Your role in this team does not allow this.',
  ])
  expect(messages.slice(3).every((message) => message.startsWith('Invalid'))).toBe(true)
  expect((await viewer.post('/invitations', { email: address(), role: 'viewer' })).status).toBe(403)
})

test('no mailbox is filled with invitations', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body

  for (let again = 0; again < 4; again++) await ada.post(`/invitations/${id}/resend`)
  const refused = await ada.post(`/invitations/${id}/resend`)

  expect(refused.body).toMatchObject({ name: 'rate_limit_exceeded' })
  // The link of the last mail is still the one that counts.
  expect(await accept(app, await tokenFor(app, email))).toMatchObject({ email })
})

test('a team has a hundred open invitations at most', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const now = app.clock.now()
  await app.db.query(sql`
    insert into invitations (team_id, id, email, role, token_sha256, created_at, expires_at)
    select ${ada.team}, gen_random_uuid(), n || '@example.net', 'viewer', sha256((${ada.team} || n)::bytea), ${now}::timestamptz,
      ${new Date(now.getTime() + DAY * 1_000)}::timestamptz from generate_series(1, 100) n`)

  const refused = await ada.post('/invitations', { email: address(), role: 'viewer' })

  expect(refused.body.message).toBe('A team can have up to 100 open invitations. Remove some first.')
})
