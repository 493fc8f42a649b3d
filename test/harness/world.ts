import { insertCeiling } from '../../src/features/emails/delivery/pace/ceiling-store.ts'
import { ALL_MAIL, insertHold } from '../../src/features/limits/holds.ts'
import { insertInvitation } from '../../src/features/people/invitations.ts'
import type { Role } from '../../src/features/people/roles.ts'
import { insertUserSession } from '../../src/features/people/sessions.ts'
import { addMember, ensureUser } from '../../src/features/people/users.ts'
import { completeRequest, openRequest } from '../../src/features/personal-data/requests.ts'
import { SYSTEM } from '../../src/kernel/audit/record.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { Endpoint } from '../../src/kernel/http/endpoint.ts'
import type { App, Client, Person } from './app.ts'
import { guardedKey } from './approvals.ts'
import { arrive, RICH, receivingDomain } from './arriving.ts'
import { authenticator } from './authenticator.ts'
import { AUTOMATION } from './automations.ts'
import { callerOf } from './callers.ts'
import { addDocument, imageOf } from './documents.ts'
import { domainNamed, freshName } from './domains.ts'
import { SIMPLE } from './emails.ts'
import { newId } from './ids.ts'
import { addGrant } from './oauth.ts'
import { ATTACHED, importRequest, MAILING, parametersOf, tomorrow } from './requests.ts'
import { addLogged } from './webhooks.ts'

/** One id of each kind, by the word that stands before it in a path: `/topics/:id` is `topics`. */
export type World = Readonly<Record<string, string>>

/** One of everything, in the client's team. */
export async function makeWorld(client: Client, app: App): Promise<World> {
  const make = async (path: string, body: object): Promise<string> => (await client.post(path, body)).body.id
  const segments = await make('/segments', { name: 'Early' })
  const topics = await make('/topics', { name: 'News' })
  await make('/contact-properties', { key: 'plan', type: 'string' })
  const emails = await make('/emails', { ...SIMPLE, ...ATTACHED, scheduled_at: tomorrow() })
  // Before there is an inbox, so that nobody files it later.
  const messages = await make('/emails', SIMPLE)
  const attachments: string = (await client.get(`/emails/${emails}/attachments`)).body.data[0].id
  const templates = await make('/templates', { name: 'Welcome', html: '<p>Hello</p>' })
  const webhooks = await make('/webhooks', { endpoint: 'https://example.com/', events: ['inbox.created'] })
  const events = await addLogged(app, client, webhooks)
  // What a webhook was told and what is defined are the same word in a path: the definition has the name of the other's id.
  await make('/events', { name: events })
  const automations = await make('/automations', AUTOMATION)
  const run = await make(`/automations/${automations}/test`, { to: 'ada@example.com' })
  const world = {
    emails,
    attachments,
    ...(await makeReceived(client, app, attachments)),
    webhooks,
    events,
    segments,
    topics,
    audiences: segments,
    contacts: await make('/contacts', { email: 'ada@example.com', segments: [segments], properties: { plan: 'free' } }),
    suppressions: await make('/suppressions', { email: 'bob@example.com' }),
    'api-keys': await make('/api-keys', { name: 'Production' }),
    approvals: await (await guardedKey(app, client)).send(),
    grants: await addGrant(app, client.team),
    'contact-properties': await make('/contact-properties', { key: 'age', type: 'number' }),
    imports: (await client.send(await importRequest())).body.id as string,
    broadcasts: await make('/broadcasts', { ...MAILING, segment_id: segments, send: true, scheduled_at: tomorrow() }),
    automations,
    runs: run,
    'automation-runs': run,
    templates,
    versions: (await client.get(`/templates/${templates}`)).body.current_version_id as string,
    'versions of documents': await addDocument(app, client.team, templates),
    images: await make('/editor/images', { content: imageOf('world') }),
    domains: await makeClaimedDomain(client, app),
    messages,
    requests: await makePersonalData(client, app),
    sandboxes: await make('/sandboxes', { name: 'A test' }),
    ceilings: await addCeiling(app),
    holds: await addHold(app),
    ...(await makePeople(client, app)),
    ...(await makeAccount(await app.ownerOf(client), app)),
    'domain of a neighbour': (await (await app.as('neighbour')).post('/domains', domainNamed(freshName()))).body.name,
  }
  await app.flush()
  return { ...world, logs: (await client.get('/logs?limit=1')).body.data[0].id }
}

/**
 * Teams with a world each. Endpoints that act on a thing may use it up: two that act on the same one get two worlds. All others share
 * one, since making everything takes longer than what is done with it.
 */
export function worldsIn(app: App) {
  const make = async (name: string) => {
    const client = await app.as(name)
    return { client, world: await makeWorld(client, app) }
  }
  const madeFor = async (endpoint: Endpoint, made: ReturnType<typeof make>) => {
    const { client, world } = await made
    await BEFORE[endpoint.id]?.(app, client, world)
    return { client: await callerOf(app, client, endpoint), world }
  }
  let shared: ReturnType<typeof make> | undefined
  const others: { readonly made: ReturnType<typeof make>; readonly used: Set<string> }[] = []
  return (endpoint: Endpoint) => {
    const { method, path } = endpoint
    const usesItUp = method === 'DELETE' || (method === 'POST' && path.includes(':'))
    if (!usesItUp) {
      shared ??= make('acme')
      return madeFor(endpoint, shared)
    }
    const words = [...(NEEDS[endpoint.id] ?? []), ...parametersOf(endpoint).map(({ word }) => PART_OF[word] ?? word)]
    // What deletes without naming a thing deletes all that there is, and who leaves a team finds nothing there any more.
    if (words.length === 0 || words.includes('teams')) return madeFor(endpoint, make(`acme for ${endpoint.id}`))
    let other = others.find(({ used }) => !words.some((word) => used.has(word)))
    if (!other) {
      other = { made: make(`acme for ${endpoint.id}`), used: new Set() }
      others.push(other)
    }
    // What only contains the thing that is acted on is not used up by it.
    for (const [index, word] of words.entries())
      if (index === words.length - 1 || !CONTAINERS.includes(word)) other.used.add(word)
    return madeFor(endpoint, other.made)
  }
}

/** What has to happen to a thing before an endpoint can act on it. */
const BEFORE: Record<string, (app: App, client: Client, world: World) => Promise<unknown>> = {
  'broadcasts.resume': ({ db, clock }, { team }, { broadcasts }) =>
    db.query(sql`
      update broadcasts set status = 'queued', paused_at = ${clock.now()},
        pause = '{"cause": "bounces", "rate": 6, "max_rate": 5, "emails": 500}'
      where team_id = ${team} and id = ${broadcasts}`),
}

const CONTAINERS = ['inboxes', 'threads', 'labels']

/** What a body names. */
const NEEDS: Record<string, readonly string[]> = { 'inboxes.threads.labels.add': ['labels'] }

/** What goes with another thing, or is another name for it. */
const PART_OF: Record<string, string> = {
  audiences: 'segments',
  broadcasts: 'segments',
  contacts: 'segments',
  runs: 'automations',
  'automation-runs': 'automations',
  'versions of documents': 'templates',
}

/** Members, one of them a second owner, so that one can go; and two who are asked to join, one of them by a token that is known. */
async function makePeople(client: Client, app: App) {
  const { team } = client
  const { userId: invitedBy, email: own } = await app.ownerOf(client)
  const join = async (role: Role) => {
    const email = `${newId()}@example.com`
    const { id } = await ensureUser(app.db, email)
    await addMember(app.db, team, id, role)
    return { id, email }
  }
  const invite = () =>
    app.db.transaction((trx) =>
      insertInvitation(trx, team, { email: `${newId()}@example.com`, role: 'viewer', invitedBy }),
    )
  const owner = await join('owner')
  // To the one who asks: nobody else can accept it.
  const invitation = await invite()
  await app.db.query(sql`update invitations set email = ${own} where team_id = ${team} and id = ${invitation.id}`)
  return {
    teams: team,
    members: (await join('viewer')).id,
    'address of a member': owner.email,
    invitations: (await invite()).id,
    'token of an invitation': invitation.token,
  }
}

/** A rule of the installation, which is of no team. */
export async function addCeiling({ db }: App): Promise<string> {
  const scope = { provider: null, site: null, domain: `${newId()}.example.com`, source: null }
  return (await db.transaction((trx) => insertCeiling(trx, { scope, ceilings: { connections: 3 }, reason: 'A test' })))!
}

/** On mail that nobody sends. */
async function addHold({ db }: App): Promise<string> {
  const scope = { ...ALL_MAIL, recipientDomain: `${newId()}.example.com` }
  return (await insertHold(db, scope, 'A test'))!.id
}

/** What somebody has to sign in with, and where they are signed in. */
async function makeAccount(person: Person, { db }: App) {
  const register = async () => authenticator().register((await person.post('/account/passkeys/options')).body.options)
  const { userId, team } = person
  const elsewhere = { userId, team, method: 'link', ipAddress: null, userAgent: null } as const
  return {
    passkeys: (await person.post('/account/passkeys', { name: 'Phone', response: await register() })).body.id as string,
    sessions: await insertUserSession(db, elsewhere),
    'passkey that was made': JSON.stringify(await register()),
  }
}

/** A request for the data of a person, with what was found. */
async function makePersonalData({ team }: Client, app: App): Promise<string> {
  const asked = { team, action: 'export', address: 'nobody@example.com' } as const
  const request = await openRequest(app.db, app.sealer, asked)
  const blob = `personal-data/${request.id}`
  await app.services.blobs.put(blob, Buffer.from('{"object":"personal_data","data":[]}'))
  await completeRequest(app.db, request, { counts: {}, isComplete: true, blob, actor: SYSTEM })
  return request.id
}

/** One that came by a claim, so that it has both: what a domain has, and a claim to show. */
async function makeClaimedDomain(client: Client, { db }: App): Promise<string> {
  const { id, name } = (await client.post('/domains', domainNamed(freshName()))).body
  await db.query(sql`
    insert into domain_claims (team_id, id, domain_id, name, region, options, token, status, created_at, expires_at)
    values (${client.team}, ${newId()}, ${id}, ${name}, 'us-east-1', '{}', 'token', 'completed', now(), now())`)
  return id
}

/**
 * A received email with an attachment, in an inbox. Sent and received attachments are the same word in a path, so they share their id,
 * too.
 */
async function makeReceived(client: Client, app: App, attachment: string) {
  const { domain } = await receivingDomain(client)
  const { id: inbox } = (await client.post('/inboxes', { email_address: `desk@${domain}` })).body
  const { message: id } = await arrive(app, RICH, { to: [`desk@${domain}`] })
  const [{ id: first }] = (await client.get(`/emails/receiving/${id}/attachments`)).body.data
  await app.db.query(sql`
    update received_attachments set id = ${attachment} where team_id = ${client.team} and id = ${first}`)
  const [{ id: thread }] = (await client.get(`/inboxes/${inbox}/threads`)).body.data
  const draft = { to: 'ada@example.com', subject: 'Hello', text: 'Hi' }
  return {
    receiving: id,
    'domain that receives': domain,
    inboxes: inbox,
    threads: thread as string,
    'emails of threads': id,
    labels: (await client.post(`/inboxes/${inbox}/labels`, { name: 'Bug' })).body.id as string,
    drafts: (await client.post(`/inboxes/${inbox}/drafts`, draft)).body.id as string,
  }
}
