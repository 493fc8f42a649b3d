import type { Endpoint } from '../../src/kernel/http/endpoint.ts'
import { isSandbox } from '../../src/platform/ids.ts'
import type { Reply } from './app.ts'
import { AUTOMATION } from './automations.ts'
import type { Caller } from './callers.ts'
import { imageOf, saying } from './documents.ts'
import { domainNamed, freshName } from './domains.ts'
import { SIMPLE } from './emails.ts'
import { formOf } from './form.ts'
import { newId } from './ids.ts'
import { sampleOf } from './sample.ts'
import type { World } from './world.ts'

// Requests to endpoints that the test does not know: made from what the endpoint says about itself.

/** What only a sandbox has. */
const IN_SANDBOXES = ['clock.get', 'clock.update', 'scenario.get', 'scenario.set']

/** The path with an id of the world for each parameter; `otherwise` replaces some of them. Below that of a sandbox, where it needs one. */
export function pathOf(endpoint: Endpoint, world: World, otherwise: Readonly<Record<string, string>> = {}): string {
  const path = endpoint.path.replace(/([^/]+)\/:(\w+)/g, (_match, word: string, parameter: string) => {
    const id = otherwise[parameter] ?? world[kindOf(word, parameter)]
    if (id === undefined) throw new Error(`${endpoint.id}: makeWorld makes nothing for /${word}/:${parameter} yet`)
    return `${word}/${id}`
  })
  const sandbox = IN_SANDBOXES.includes(endpoint.id) ? (world.sandboxes ?? '') : ''
  const whole = isSandbox(sandbox) ? `/sandboxes/${sandbox}${path}` : path
  const query = QUERIES[endpoint.id]
  return query === undefined ? whole : asking(whole, typeof query === 'string' ? query : query(world))
}

/** What an id in a path is of: the word before it, or what tells two apart that have one word. */
const kindOf = (word: string, parameter: string) =>
  word === 'emails' && parameter === 'email'
    ? 'emails of threads'
    : word === 'versions' && parameter === 'id'
      ? 'versions of documents'
      : word

function ofTemplate({ templates }: World) {
  return `resource_type=template&resource_id=${templates}`
}

const documentIn = ({ templates }: World) => ({ resource_type: 'template', resource_id: templates })

/** What must be asked, where an answer depends on it. */
const QUERIES: Record<string, string | ((world: World) => string)> = {
  'broadcasts.recipients': 'type=sent',
  'emails.metrics.breakdown': 'by=tag',
  'emails.schedule': 'scheduled_at=in%201%20hour',
  'messages.wait': 'timeout=0',
  'operator.delivery.destination': 'name=gmail',
  'operator.delivery.pace': 'destination=gmail',
  'operator.delivery.ceilings.remove': 'reason=Not%20needed',
  'editor.content.get': ofTemplate,
  'editor.connections.list': ofTemplate,
  'editor.versions.list': ofTemplate,
}

export const asking = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

/** Each parameter of the path, with what it is an id of. */
export const parametersOf = ({ path }: Endpoint) =>
  [...path.matchAll(/([^/]+)\/:(\w+)/g)].map(([, word, parameter]) => ({
    word: kindOf(word!, parameter!),
    parameter: parameter!,
  }))

export const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

export const ATTACHED = { attachments: [{ filename: 'hello.txt', content: 'aGVsbG8=', content_type: 'text/plain' }] }

export const MAILING = { from: 'Acme <news@acme.dev>', subject: 'News', html: '<p>Hello {{{FIRST_NAME|you}}}</p>' }

/** Bodies that their schema alone does not tell. */
const BODIES: Record<string, (world: World) => unknown> = {
  'emails.send': ({ topics }) => ({
    ...SIMPLE,
    ...ATTACHED,
    cc: ['Bob <bob@example.com>'],
    reply_to: 'help@example.com',
    headers: { 'X-Order': '42' },
    tags: [{ name: 'kind', value: 'greeting' }],
    topic_id: topics,
  }),
  'approvals.decide': ({ approvals }) => ({ decision: 'approve', ids: [approvals] }),
  'emails.dry-run': () => SIMPLE,
  'oauth.grants.update': () => ({ policy: { max_emails_per_day: 100 } }),
  'emails.batch': () => [SIMPLE, { ...SIMPLE, scheduled_at: 'in 1 hour' }],
  'api-keys.update': () => ({ name: 'Production', policy: { max_emails_per_day: 100 } }),
  'account.passkeys.create': (world) => ({ name: 'Laptop', response: JSON.parse(world['passkey that was made']!) }),
  'emails.update': () => ({ scheduled_at: tomorrow() }),
  'domains.create': () => domainNamed(freshName()),
  'domains.claims.create': (world) => domainNamed(world['domain of a neighbour']!),
  'broadcasts.create': ({ segments }) => ({ ...MAILING, segment_id: segments }),
  'automations.create': () => AUTOMATION,
  'automations.update': () => AUTOMATION,
  'automations.steps.replace': () => AUTOMATION,
  'contacts.topics.update': ({ topics }) => [{ id: topics, subscription: 'opt_out' }],
  'webhooks.create': () => ({ endpoint: 'https://example.com/', events: ['email.sent'] }),
  'events.send': ({ contacts }) => ({ event: 'user.created', contact_id: contacts, payload: { plan: 'pro' } }),
  'invitations.accept': (world) => ({ token: world['token of an invitation'] }),
  'inboxes.create': (world) => ({ email_address: `desk-${newId()}@${world['domain that receives']}` }),
  'inboxes.update': () => ({ name: `Desk ${newId()}` }),
  'inboxes.labels.update': () => ({ name: `Label ${newId()}` }),
  'inboxes.labels.create': () => ({ name: `Label ${newId()}` }),
  'inboxes.threads.batch': ({ threads }) => ({ ids: [threads], folder: 'archive' }),
  'inboxes.threads.emails.reply': () => ({ text: 'Sure.' }),
  'inboxes.threads.emails.forward': () => ({ to: 'bob@example.com' }),
  'inboxes.drafts.create': () => ({ to: ['ada@example.com'], subject: 'Hello', text: 'Hi' }),
  'clock.update': () => ({ is_frozen: true }),
  'scenario.set': () => ({ rules: [{ match: { to: 'ada@example.com' }, outcome: { reply: '450 4.2.0 Try later' } }] }),
  'editor.content.update': (world) => ({ ...documentIn(world), content: saying('Hello') }),
  'editor.connections.create': documentIn,
  'editor.connections.remove': documentIn,
  'editor.compose': () => ({ content: saying('Hello') }),
  'editor.images.create': () => ({ content: imageOf(newId()) }),
  'operator.delivery.ceilings.create': () => ({ domain: freshName(), connections: 3, reason: 'A new address' }),
  'operator.delivery.ceilings.update': () => ({ rate: '10/s', reason: 'It is known by now' }),
  'operator.delivery.retry': () => ({ email: newId(), reason: 'A test' }),
  'operator.delivery.cancel': () => ({ email: newId(), reason: 'A test' }),
  'operator.delivery.bounce': () => ({ email: newId(), reason: 'A test' }),
  'operator.delivery.move': () => ({ email: newId(), route: null, reason: 'A test' }),
  'operator.delivery.routes.hold': () => ({ route: 'relay', reason: 'A test' }),
  'operator.delivery.routes.release': () => ({ route: 'relay', reason: 'A test' }),
  'operator.delivery.sources.restart': () => ({ domain: freshName(), reason: 'A test' }),
  'operator.delivery.sources.finish': () => ({ domain: freshName(), reason: 'A test' }),
  'operator.delivery.hold': () => ({ domain: freshName(), reason: 'A test' }),
  'operator.delivery.lift': () => ({ destination: 'gmail', reason: 'They have answered' }),
  'suppressions.batch.remove': ({ suppressions }) => ({ ids: [suppressions] }),
}

/** One that the endpoint takes: with no more than it needs, when its schema tells. */
export const bodyOf = ({ id, body }: Endpoint, world: World): unknown =>
  BODIES[id]?.(world) ?? (body && sampleOf(body, world, 'required'))

/** The one above, and one with every field that the schema has. */
export const bodiesOf = (endpoint: Endpoint, world: World): unknown[] =>
  endpoint.body ? [bodyOf(endpoint, world), sampleOf(endpoint.body, world, 'all')] : []

export async function call(client: Caller, endpoint: Endpoint, url: string, body: unknown): Promise<Reply> {
  if (endpoint.upload) return client.send({ ...(await importRequest()), url })
  return client.send({ method: endpoint.method, url, ...(body !== undefined && { payload: body as object }) })
}

export const importRequest = async () =>
  ({ method: 'POST', url: '/contacts/imports', ...(await formOf({ file: 'email\nada@example.com\n' })) }) as const

/** `200`, or `404 not_found`. */
export const answerOf = ({ status, body }: Reply) => (status < 300 ? String(status) : `${status} ${body.name}`)
