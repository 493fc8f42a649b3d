import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { cookieOf, FROM_OUR_PAGE } from '../../../test/harness/browser-session.ts'
import { runCommand, runForJson, teamNameOf } from '../../../test/harness/commands.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Command } from './command.ts'
import { linkUser, listUsersCommand, removeUserCommand } from './users.ts'

const PUBLIC = { POSTWREN_PUBLIC_URL: 'https://mail.example.com' }

const run = (command: Command, words: string[] = [], flags: Record<string, string | boolean> = {}) =>
  runCommand(command, words, flags, PUBLIC)

const json = (command: Command, words: string[] = [], flags: Record<string, string | boolean> = {}) =>
  runForJson(command, words, flags, PUBLIC)

const TOKEN = /^https:\/\/mail\.example\.com\/dashboard#sign-in=([\w-]{43})$/

/** Who is signed in after that. */
async function openLink(app: App, url: string) {
  const token = TOKEN.exec(url)![1]!
  const entered = await app.send({
    method: 'POST',
    url: '/dashboard/sign-in',
    payload: { token },
    headers: FROM_OUR_PAGE,
  })
  if (entered.status !== 200) return entered.body
  const headers = { ...FROM_OUR_PAGE, cookie: cookieOf(entered) }
  return (await app.send({ method: 'GET', url: '/dashboard/session', headers })).body
}

test('the first owner comes in by a link that the command prints, once', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const team = await teamNameOf(app, acme)

  const [url] = (await run(linkUser, ['first@example.com'], { team, operator: true })).split('\n')
  const { body: audit } = await acme.get('/audit-events?action=account.link')
  const before = await json(listUsersCommand)
  const first = await openLink(app, url!)
  const second = await openLink(app, url!)

  expect(audit.data).toMatchObject([
    { actor: { name: 'postwren command' }, details: { email: 'first@example.com', role: 'owner', operator: true } },
  ])
  expect(before.data.map(({ email }: { email: string }) => email)).not.toContain('first@example.com')
  expect(first).toMatchObject({ user: { email: 'first@example.com' }, team: { id: acme.team }, role: 'owner' })
  expect(first.access).toContain('operator')
  expect(second.message).toBe('This link was already used or has expired.')
  expect(await run(listUsersCommand)).toMatch(
    new RegExp(`^first@example\\.com +${team} \\(owner\\) +yes +0 +\\d{4}-`, 'm'),
  )
})

test('`--first` gives a link until somebody has signed in, and the address of the dashboard afterwards', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const words = ['first@example.com']
  const flags = { team: await teamNameOf(app, acme), first: true }
  await app.db.query(sql.write`update users set last_signed_in_at = null`)

  const [url] = (await run(linkUser, words, flags)).split('\n')
  const [again] = (await run(linkUser, words, flags)).split('\n')
  await openLink(app, again!)
  const afterwards = await run(linkUser, words, flags)

  expect([url, again]).toEqual([expect.stringMatching(TOKEN), expect.stringMatching(TOKEN)])
  expect(afterwards.trim()).toBe('https://mail.example.com/dashboard')
  expect((await json(linkUser, words, flags)).email).toBeNull()
})

test('somebody who is in a team signs in as what they are there', async () => {
  const app = await startApp()
  await app.person('acme', 'owner')
  const [viewer, globex] = [await app.person('acme', 'viewer'), await app.as('globex')]

  const plain = await openLink(app, (await json(linkUser, [viewer.email])).url)
  const placed = await openLink(
    app,
    (await json(linkUser, [viewer.email], { team: await teamNameOf(app, globex) })).url,
  )

  expect(plain).toMatchObject({ user: { email: viewer.email }, role: 'viewer', team: { id: viewer.team } })
  expect(plain.teams).toHaveLength(1)
  expect(placed).toMatchObject({ role: 'owner', team: { id: globex.team } })
  expect(placed.teams).toHaveLength(2)
})

test('a link is good for an hour', async () => {
  const app = await startApp()
  const { email } = await app.person('acme', 'viewer')
  const { url } = await json(linkUser, [email])

  app.clock.advance(61 * 60)

  expect((await openLink(app, url)).name).toBe('invalid_sign_in_link')
})

test('who is removed is signed out, and no team loses its last owner by mistake', async () => {
  const app = await startApp()
  const owner = await app.person('acme', 'owner')
  const team = await teamNameOf(app, owner)

  await expect(run(removeUserCommand, [owner.email])).rejects.toThrow(
    `${owner.email} is the only owner of ${team}. Make another member an owner first, or use --force.`,
  )
  expect((await owner.get('/topics')).status).toBe(200)
  expect(await run(removeUserCommand, [owner.email.toUpperCase()], { force: true })).toBe(
    `User ${owner.email} deleted and signed out everywhere.`,
  )

  await expect.poll(async () => (await owner.get('/topics')).status).toBe(401)
  await expect(run(removeUserCommand, [owner.email])).rejects.toThrow(/^User .* not found/)
  await expect(run(linkUser, ['nobody'])).rejects.toThrow('nobody is not an email address.')
  const events = await app.db.query(sql`
    select actor_kind, details from audit_events where team_id = ${owner.team} and action = 'members.remove'`)
  expect(events).toEqual([{ actor_kind: 'system', details: { email: owner.email } }])
})
