import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type App, type Client, startApp } from '../../../../test/harness/app.ts'
import { commandSettings, runCommand, teamNameOf } from '../../../../test/harness/commands.ts'
import { contractOnly, startSource } from '../../../../test/harness/import-source.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { teamLimitsCommand } from '../team-operations.ts'
import { importResend } from './commands.ts'

const SETTINGS = { POSTWREN_SECRET_KEY: Buffer.alloc(32, 'secret').toString('hex') }

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'postwren-import-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const make = async (client: Client, path: string, body: object): Promise<string> => {
  const reply = await client.post(path, body)
  if (reply.status > 201) throw new Error(reply.text)
  return reply.body.id
}

/** An account with something of each kind. */
async function fillAccount(account: Client) {
  await make(account, '/contact-properties', { key: 'plan', type: 'string', fallback_value: 'free' })
  await make(account, '/contact-properties', { key: 'seats', type: 'number' })
  const news = await make(account, '/topics', { name: 'News', default_subscription: 'opt_in', visibility: 'public' })
  const offers = await make(account, '/topics', {
    name: 'Offers',
    default_subscription: 'opt_out',
    description: 'Cheap',
  })
  const readers = await make(account, '/segments', { name: 'Readers' })
  const customers = await make(account, '/segments', { name: 'Customers' })
  await make(account, '/events', { name: 'user.created', schema: { plan: 'string' } })
  const welcome = await make(account, '/templates', {
    ...{ name: 'Welcome', alias: 'welcome', subject: 'Hello', from: 'a@example.com', html: '<p>{{{NAME}}}</p>' },
    variables: [{ key: 'NAME', type: 'string', fallback_value: 'you' }],
  })
  await account.post(`/templates/${welcome}/publish`)
  await account.patch(`/templates/${welcome}`, { html: '<p>Dear {{{NAME}}}</p>' })
  await make(account, '/templates', { name: 'Draft', html: '<p>soon</p>' })
  await make(account, '/contacts', {
    ...{ email: 'ada@example.com', first_name: 'Ada', properties: { plan: 'pro', seats: 3 } },
    ...{ segments: [{ id: readers }, { id: customers }], topics: [{ id: news, subscription: 'opt_out' }] },
  })
  await make(account, '/contacts', { email: 'bob@example.com', unsubscribed: true, segments: [{ id: readers }] })
  await make(account, '/contacts', { email: 'Eve@Example.com', topics: [{ id: offers, subscription: 'opt_in' }] })
  await make(account, '/suppressions', { email: 'gone@example.com' })
  const letter = { from: 'news@example.com', subject: 'News', html: '<h1>News</h1>', segment_id: readers }
  await make(account, '/broadcasts', { ...letter, name: 'Later', topic_id: news, reply_to: 'desk@example.com' })
  await make(account, '/broadcasts', { ...letter, name: 'Soon', send: true, scheduled_at: 'in 1 day' })
  await make(account, '/automations', {
    name: 'Series',
    status: 'enabled',
    steps: [
      { key: 'start', type: 'trigger', config: { event_name: 'user.created' } },
      { key: 'mail', type: 'send_email', config: { template: { id: welcome } } },
      { key: 'in', type: 'add_to_segment', config: { segment_id: customers } },
    ],
    connections: [
      { from: 'start', to: 'mail' },
      { from: 'mail', to: 'in' },
    ],
  })
  await make(account, '/webhooks', {
    endpoint: 'https://hooks.example.com/mail',
    events: ['email.sent', 'email.bounced'],
  })
  await make(account, '/domains', { name: domainOf(account), dkim: 'ed25519', custom_return_path: 'bounce' })
  await suppressed(account)
}

/** A name is of one team of the installation. */
const domainOf = ({ team }: Client) => `${team.slice(-12)}x.example`

/** As a bounce leaves it. */
const suppressed = (account: Client) => make(account, '/suppressions', { email: 'bounced@example.com' })

interface Move {
  readonly from: string
  readonly account: Client
  readonly to: Client
  readonly flags?: Record<string, string | boolean>
}

const move = async (app: App, { from, account, to, flags = {} }: Move) =>
  JSON.parse(
    await runCommand(
      importResend,
      [],
      {
        ...{ 'api-key': account.token, 'base-url': from, team: await teamNameOf(app, to), json: true },
        ...{ state: join(folder(), 'state.json'), ...flags },
      },
      SETTINGS,
    ),
  )

const LISTS = ['/contact-properties', '/topics', '/segments', '/events', '/suppressions', '/broadcasts?limit=100']
const DETAILED = ['/templates', '/automations']
const CONTACTS = '/contacts?include=properties,segments,topics'

/** All that the API says of an account that has moved, in order. */
async function answersOf(client: Client) {
  const answers: Record<string, unknown> = {}
  for (const path of [...LISTS, CONTACTS]) answers[path] = (await client.get(path)).body
  for (const path of DETAILED) {
    const { data } = (await client.get(path)).body
    answers[path] = data
    for (const { id } of data) answers[`${path}/${id}`] = (await client.get(`${path}/${id}`)).body
  }
  return answers
}

const writes = ({ counts }: { counts: Record<string, { created: number; updated: number }> }) =>
  Object.entries(counts).flatMap(([kind, { created, updated }]) => (created + updated > 0 ? [kind] : []))

test('an account moves in with its ids and times, and once more changes nothing', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  await app.db.query(sql`
    update suppressions set origin = 'bounce', source_id = gen_random_uuid() where team_id = ${acme.team} and email like 'bounced%'`)
  const source = await startSource(app)

  const first = await move(app, { from: source.url, account: acme, to: globex })
  const second = await move(app, { from: source.url, account: acme, to: globex })

  const [there, here] = [await answersOf(acme), await answersOf(globex)]
  // What is scheduled there is a draft here.
  const scheduled = (there['/broadcasts?limit=100'] as { data: { status: string; scheduled_at: unknown }[] }).data[0]!
  Object.assign(scheduled, { status: 'draft', scheduled_at: null })
  expect(here).toEqual(there)
  expect(first.counts.contacts).toEqual({ read: 3, created: 3, updated: 0, unchanged: 0, skipped: 0 })
  expect(first.notes.map(({ kind }: { kind: string }) => kind)).toEqual(['broadcasts'])
  expect(first.skipped).toMatchObject([
    { kind: 'domains', reason: expect.stringContaining('Another team'), examples: [domainOf(acme)] },
    { kind: 'keys', count: 1 },
  ])
  expect(writes(second)).toEqual([])
  expect(await globex.events()).toEqual([])
})

test('a webhook keeps its signing secret, and what it wants', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const source = await startSource(app)

  await move(app, { from: source.url, account: acme, to: globex, flags: { only: 'webhooks' } })

  const of = async (client: Client) =>
    (await client.get(`/webhooks/${(await client.get('/webhooks')).body.data[0].id}`)).body
  const [there, here] = [await of(acme), await of(globex)]
  expect({ ...here, events: here.events.sort() }).toEqual({ ...there, id: here.id, events: there.events.sort() })
})

test('a template that was changed since it was published is both here, where the source tells both', async () => {
  const app = await startApp()
  const [acme, globex, other] = [await app.as('acme'), await app.as('globex'), await app.as('other')]
  await fillAccount(acme)

  const own = await startSource(app)
  const foreign = await startSource(app, contractOnly)
  await move(app, { from: own.url, account: acme, to: globex, flags: { only: 'templates' } })
  const report = await move(app, { from: foreign.url, account: acme, to: other, flags: { only: 'templates' } })

  const sent = await globex.post('/emails', { to: 'x@example.com', template: { id: 'welcome' } })
  expect(sent.status).toBe(200)
  expect((await globex.get(`/emails/${sent.body.id}`)).body.html).toBe('<p>you</p>')
  expect((await globex.get('/templates/welcome')).body.html).toBe('<p>Dear {{{NAME}}}</p>')
  expect((await other.get('/templates/welcome')).body.status).toBe('draft')
  expect(report.notes).toMatchObject([{ kind: 'templates', examples: ['Welcome'] }])
})

test('contacts of a source that knows the contract alone come with all that is theirs, too', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const source = await startSource(app, contractOnly)

  await move(app, { from: source.url, account: acme, to: globex, flags: { only: 'contacts' } })

  expect((await globex.get(CONTACTS)).body).toEqual((await acme.get(CONTACTS)).body)
  expect(source.requests.filter((path) => /^\/contacts\/[^/]+$/.test(path))).toHaveLength(3)
})

test('5,000 contacts of a source of our own take one read for each hundred', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  const segment = await make(acme, '/segments', { name: 'All' })
  await app.db.query(sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select ${acme.team}, ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'c' || n || '@example.com', timestamptz '2025-01-01' + n * interval '1 s', timestamptz '2025-01-01'
    from generate_series(1, 5000) n`)
  await app.db.query(sql`
    insert into contact_segments (team_id, contact_id, segment_id, created_at)
    select team_id, id, ${segment}, created_at from contacts where team_id = ${acme.team}`)
  const source = await startSource(app)

  const report = await move(app, { from: source.url, account: acme, to: globex, flags: { only: 'contacts' } })

  expect(report.counts.contacts.created).toBe(5_000)
  expect(report.requests).toBeLessThan(60)
  expect((await globex.get(CONTACTS)).text).toBe((await acme.get(CONTACTS)).text)
})

test('who has unsubscribed here stays so, and what was here is not lost', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const source = await startSource(app)
  await move(app, { from: source.url, account: acme, to: globex })
  await globex.patch('/contacts/ada@example.com', { unsubscribed: true, last_name: 'Lovelace' })
  const offers = (await globex.get('/topics')).body.data.find(({ name }: { name: string }) => name === 'Offers')
  await globex.patch('/contacts/eve@example.com/topics', [{ id: offers.id, subscription: 'opt_out' }])
  await acme.patch('/contacts/bob@example.com', { first_name: 'Bob', unsubscribed: false })

  const report = await move(app, { from: source.url, account: acme, to: globex })

  expect(writes(report)).toEqual(['contacts'])
  expect(report.counts.contacts).toMatchObject({ updated: 1, unchanged: 2 })
  expect((await globex.get('/contacts/ada@example.com')).body).toMatchObject({
    unsubscribed: true,
    last_name: 'Lovelace',
  })
  expect((await globex.get('/contacts/bob@example.com')).body).toMatchObject({ unsubscribed: true, first_name: 'Bob' })
  const choices = (await globex.get('/contacts/eve@example.com/topics')).body.data
  expect(choices.find(({ id }: { id: string }) => id === offers.id).subscription).toBe('opt_out')
})

test('things with the same names are the same, and what names them is about those', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const customers = await make(globex, '/segments', { name: 'Customers' })
  const ada = await make(globex, '/contacts', { email: 'ADA@example.com', last_name: 'L' })
  const source = await startSource(app)

  await move(app, { from: source.url, account: acme, to: globex })

  const [automation] = (await globex.get('/automations')).body.data
  const { steps } = (await globex.get(`/automations/${automation.id}`)).body
  expect(steps[2].config).toEqual({ segment_id: customers })
  expect((await globex.get('/segments')).body.data).toHaveLength(2)
  expect((await globex.get(`/segments/${customers}/contacts`)).body.data).toMatchObject([
    { id: ada, email: 'ADA@example.com', first_name: 'Ada', last_name: 'L' },
  ])
})

test('ids that say nothing about time are kept where applications have them, or made anew in order', async () => {
  const app = await startApp()
  const [acme, globex, other] = [await app.as('acme'), await app.as('globex'), await app.as('other')]
  await app.db.query(sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select ${acme.team}, gen_random_uuid(), 'c' || n || '@example.com', timestamptz '2025-01-01' + n * interval '1 day', timestamptz '2025-01-01'
    from generate_series(10, 99) n`)
  await app.db.query(sql`
    insert into suppressions (team_id, id, email, origin, created_at)
    values (${acme.team}, 'ffffffff-ffff-4fff-8fff-ffffffffffff', 'gone@example.com', 'complaint', timestamptz '2025-01-01')`)
  const source = await startSource(app)

  await move(app, { from: source.url, account: acme, to: globex })
  await move(app, { from: source.url, account: acme, to: other, flags: { 'new-ids': true } })

  expect((await globex.get('/contacts')).text).toBe((await acme.get('/contacts')).text)
  const emails = (await other.get('/contacts')).body.data.map(({ email }: { email: string }) => email)
  expect(emails).toEqual([...emails].sort().reverse())
  const [suppression] = (await globex.get('/suppressions')).body.data
  expect(suppression).toMatchObject({
    email: 'gone@example.com',
    origin: 'complaint',
    created_at: '2025-01-01 00:00:00.0+00',
  })
  expect(suppression.id).toMatch(/^01941f29-7c00-7/)
})

test('a dry run writes nothing, and says what would be', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const source = await startSource(app)
  const before = await answersOf(globex)

  const report = await move(app, { from: source.url, account: acme, to: globex, flags: { 'dry-run': true } })

  expect(await answersOf(globex)).toEqual(before)
  expect(report.dry_run).toBe(true)
  expect(report.counts.contacts).toMatchObject({ read: 3, created: 3 })
  expect(report.counts.automations).toMatchObject({ created: 1 })
  expect(report.dns.map(({ when, type, name }: Record<string, string>) => `${when} ${type} ${name}`)).toEqual(
    expect.arrayContaining([`before TXT postwren._domainkey.${domainOf(acme)}`]),
  )
})

test('a run that was killed goes on where it stopped', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  await app.db.query(sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select ${acme.team}, ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'c' || n || '@example.com', timestamptz '2025-01-01', timestamptz '2025-01-01'
    from generate_series(1, 450) n`)
  let left = 3
  const source = await startSource(app, ({ path }, response) => {
    // Refuses for good in the middle of the list, which ends the run as a kill does.
    if (path !== '/contacts' || left-- > 0) return false
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"message":"API key is invalid"}')
    return true
  })
  const state = join(folder(), 'state.json')
  const flags = { state }

  await expect(move(app, { from: source.url, account: acme, to: globex, flags })).rejects.toThrow('refuses the API key')
  const kept = readFileSync(state, 'utf8')
  left = 100
  source.requests.length = 0
  const report = await move(app, { from: source.url, account: acme, to: globex, flags })

  expect(kept).not.toContain(acme.token)
  expect(source.requests.filter((path) => path === '/contacts')).toHaveLength(2)
  expect(source.requests).not.toContain('/segments')
  expect(report.counts.contacts).toEqual({ read: 453, created: 453, updated: 0, unchanged: 0, skipped: 0 })
  expect(existsSync(state)).toBe(false)
})

test('a source that says no, stumbles and changes meanwhile is read to the end', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const faults = ['limited', 'cut', 'broken', 'limited']
  const source = await startSource(app, async ({ path }, response) => {
    if (path === '/topics' && faults.length === 0) await acme.delete('/contacts/bob@example.com')
    const fault = faults.shift()
    if (fault === undefined) return false
    if (fault === 'limited') response.writeHead(429, { 'retry-after': '0.01', 'ratelimit-limit': '500' }).end('{}')
    else if (fault === 'broken') response.writeHead(502).end('<html>')
    else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"object":"list","data":[', () => response.destroy())
    }
    return true
  })

  const report = await move(app, { from: source.url, account: acme, to: globex })

  expect(report.counts.contacts).toMatchObject({ created: 2 })
  expect(report.counts.segments).toMatchObject({ created: 2 })
})

test('two imports at once write everything once', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  const source = await startSource(app)

  const reports = await Promise.all([1, 2].map(() => move(app, { from: source.url, account: acme, to: globex })))

  for (const kind of ['segments', 'topics', 'templates', 'contacts', 'webhooks', 'automations'])
    expect(reports[0].counts[kind].created + reports[1].counts[kind].created, kind).toBe(reports[0].counts[kind].read)
  expect((await globex.get('/webhooks')).body.data).toHaveLength(1)
  expect((await globex.get('/segments')).body.data).toHaveLength(2)
})

test('a team gets as many contacts as it may have', async () => {
  const app = await startApp()
  const [acme, globex] = [await app.as('acme'), await app.as('globex')]
  await fillAccount(acme)
  await runCommand(teamLimitsCommand, [await teamNameOf(app, globex)], { contacts: '2' })
  const source = await startSource(app)

  const report = await move(app, { from: source.url, account: acme, to: globex, flags: { only: 'contacts' } })

  expect(report.counts.contacts).toMatchObject({ read: 3, created: 2, skipped: 1 })
  expect(report.skipped).toMatchObject([{ kind: 'contacts', reason: expect.stringContaining('limit') }])
})

test('mistakes are one line, and no line has the key', async () => {
  const settings = await commandSettings(SETTINGS)
  const run = (flags: Record<string, string>, environment = {}) =>
    importResend.run({ config: settings, environment, words: [], flags, print: () => {} })

  await expect(run({})).rejects.toThrow('Missing --api-key')
  await expect(run({ 'api-key': 're_1', 'base-url': 'ftp://x' })).rejects.toThrow('--base-url must be')
  await expect(run({ 'api-key': 're_1', only: 'contacts,wishes' })).rejects.toThrow('`wishes`')
  const app = await startApp()
  await app.as('acme')
  const source = await startSource(app)
  const refused = run({ 'base-url': source.url }, { RESEND_API_KEY: 're_secret_token' })
  await expect(refused).rejects.toThrow('The source refuses the API key: API key is invalid.')
  await expect(refused).rejects.not.toThrow('re_secret_token')
})
