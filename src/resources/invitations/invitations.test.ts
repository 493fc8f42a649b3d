import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { FROM_OUR_PAGE } from '../../../test/harness/browser-session.ts'
import { acceptInvitation } from '../../people/invitations.ts'
import { sql } from '../../platform/db/sql.ts'

const DAY = 86_400

let addresses = 0
const address = () => `grace-${++addresses}-${Math.random().toString(36).slice(2)}@example.org`

/** The tokens of the mails to an address, oldest first. */
async function tokensFor(app: App, email: string): Promise<string[]> {
  const mails = await app.db.query<{ text: string; html: string }>(sql`
    select b.text, b.html from emails e join email_bodies b on b.team_id = e.team_id and b.email_id = e.id
    where e."to" ->> 0 = ${email} order by e.id`)
  return mails.map(({ text }) => /\?invitation=(\S+)/.exec(text)![1]!)
}

const tokenFor = async (app: App, email: string) => (await tokensFor(app, email)).at(-1)!

const look = (app: App, token: string) =>
  app.send({ url: `/dashboard/invitation?token=${token}`, headers: FROM_OUR_PAGE })

const accept = (app: App, token: string) => app.db.transaction((trx) => acceptInvitation(trx, token))

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
    ...{ team: name, role: 'developer', email, invited_by: ada.email },
  })
  const accepted = await accept(app, token)
  expect(accepted).toMatchObject({ team: ada.team, email, role: 'developer', isNew: true })
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
  const other = await app.person('globex', 'viewer')
  const email = address()
  await ada.post('/invitations', { email, role: 'viewer' })
  const token = await tokenFor(app, email)

  const both = await Promise.allSettled([
    accept(app, token),
    other.post('/invitations/accept', { token }).then(({ status }) => (status === 200 ? status : Promise.reject())),
  ])

  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect((await other.post('/invitations/accept', { token })).body.name).toBe('not_found')
  expect((await look(app, token)).status).toBe(404)
})

test('somebody who is signed in joins as who they are, and keeps a role they have', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'admin'), await app.person('globex', 'owner')]
  const invite = async (role: string) => {
    const email = address()
    await ada.post('/invitations', { email, role })
    return tokenFor(app, email)
  }

  expect((await bob.post('/invitations/accept', { token: await invite('viewer') })).body).toEqual({
    object: 'team',
    id: ada.team,
  })
  expect((await bob.get('/team', { 'x-postwren-team': ada.team })).status).toBe(200)
  await bob.post('/invitations/accept', { token: await invite('admin') })

  const { data } = (await ada.get('/members')).body
  expect(data).toContainEqual(expect.objectContaining({ id: bob.userId, email: bob.email, role: 'viewer' }))
})

test('it runs out after a week, and sending it again makes another link', async () => {
  const app = await startApp()
  const ada = await app.person('acme', 'admin')
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body

  app.clock.advance(7 * DAY)
  const first = await tokenFor(app, email)
  await expect(accept(app, first)).rejects.toThrow('has run out')
  expect((await ada.post(`/invitations/${id}/resend`)).status).toBe(200)

  const [, second] = await tokensFor(app, email)
  await expect(accept(app, first)).rejects.toThrow('has run out')
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

  await expect(accept(app, await tokenFor(app, email))).rejects.toThrow('has run out')
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
    'This person is invited already. Send it again instead.',
    'This person is a member of the team already.',
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
