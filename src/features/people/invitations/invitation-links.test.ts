import { expect, test } from 'vitest'
import { type App, type Person, startApp } from '../../../../test/harness/app.ts'
import { FROM_OUR_PAGE } from '../../../../test/harness/browser-session.ts'
import { mailsTo } from '../../../../test/harness/emails.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { acceptAsNewUser } from '../invitations.ts'

let addresses = 0
const address = () => `grace-${++addresses}-${Math.random().toString(36).slice(2)}@example.org`

/** The tokens of the mails to an address, oldest first. */
async function tokensFor(app: App, email: string): Promise<string[]> {
  const mails = await mailsTo(app, email)
  return mails.map(({ text }) => /#invitation=(\S+)/.exec(text)![1]!)
}

const look = (app: App, token: string) =>
  app.send({ method: 'POST', url: '/dashboard/invitation', payload: { token }, headers: FROM_OUR_PAGE })

const accept = (app: App, token: string, isMailKept = false) =>
  app.db.transaction((trx) => acceptAsNewUser(trx, token, { isMailKept }))

const tokenOf = (url: string) => url.split('#invitation=')[1]!

test('a link can be copied as often as one likes, beside the mail, until the invitation is sent again', async () => {
  const app = await startApp()
  const [ada, bob] = [await app.person('acme', 'admin'), await app.person('acme', 'admin')]
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body
  const mailed = (await tokensFor(app, email)).at(-1)!
  const copy = async (person: Person) => (await person.post(`/invitations/${id}/link`)).body.url as string

  const url = await copy(ada)
  expect(await copy(ada)).toBe(url)
  expect(url).toMatch(/\/dashboard#invitation=[\w-]{43}$/)
  expect((await look(app, tokenOf(url))).body).toMatchObject({ email, needs_confirmation: false })
  expect((await look(app, mailed)).status).toBe(200)
  const rows = await app.db.query(sql`select i::text from invitations i where team_id = ${ada.team}`)
  expect(JSON.stringify(rows)).not.toContain(tokenOf(url))

  // The invitation belongs to the member who copied it last: the link ends with their right to invite.
  const ofBob = await copy(bob)
  expect((await look(app, tokenOf(url))).status).toBe(404)
  expect((await ada.get('/invitations')).body.data).toMatchObject([{ invited_by: bob.email }])
  await ada.post(`/invitations/${id}/resend`)
  expect((await look(app, tokenOf(ofBob))).status).toBe(404)
  expect((await ada.get('/audit-events?action=invitations.link')).body.data).toMatchObject([
    { actor: { name: bob.email }, details: { email, role: 'viewer' } },
    { actor: { name: ada.email } },
    { actor: { name: ada.email } },
  ])
})

test('where mail leaves, a copied link proves no address: who is new confirms it by mail', async () => {
  const app = await startApp({ POSTWREN_DELIVERY: 'relay', POSTWREN_RELAY_URL: 'smtp://127.0.0.1:1' })
  const ada = await app.person('acme', 'admin')
  const email = address()
  const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body
  const copied = tokenOf((await ada.post(`/invitations/${id}/link`)).body.url)

  expect((await look(app, copied)).body).toMatchObject({ has_account: false, needs_confirmation: true })
  await expect(accept(app, copied)).rejects.toThrow('Confirm that')
  const knock = (url: string) =>
    app.send({ method: 'POST', url: `/dashboard/${url}`, payload: { token: copied }, headers: FROM_OUR_PAGE })
  expect((await knock('sign-in/invitation')).status).toBe(403)
  expect((await knock('invitation/email')).status).toBe(200)

  const [first, second] = await tokensFor(app, email)
  expect((await look(app, first!)).status).toBe(404)
  expect(await accept(app, second!)).toMatchObject({ email, team: ada.team })
  expect((await knock('invitation/email')).status).toBe(404)
})

test('a copied link admits a user signed in with the address, and creates an account in inbox mode', async () => {
  const app = await startApp()
  const [ada, known] = [await app.person('acme', 'admin'), await app.person('globex', 'viewer')]
  const linkFor = async (email: string) => {
    const { id } = (await ada.post('/invitations', { email, role: 'viewer' })).body
    return tokenOf((await ada.post(`/invitations/${id}/link`)).body.url)
  }

  expect((await known.post('/invitations/accept', { token: await linkFor(known.email) })).status).toBe(200)
  const email = address()
  expect(await accept(app, await linkFor(email), true)).toMatchObject({ email, role: 'viewer' })
})

test('only owners copy the link of an invitation of an owner, and no member that of another team', async () => {
  const app = await startApp()
  const [owner, admin] = [await app.person('acme', 'owner'), await app.person('acme', 'admin')]
  const stranger = await app.person('globex', 'owner')
  const { id } = (await owner.post('/invitations', { email: address(), role: 'owner' })).body

  expect((await admin.post(`/invitations/${id}/link`)).status).toBe(403)
  expect((await stranger.post(`/invitations/${id}/link`)).status).toBe(404)
  expect((await owner.post(`/invitations/${id}/link`)).status).toBe(200)
})
