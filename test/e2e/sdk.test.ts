import { Resend } from 'resend'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { postwren } from '../harness/program.ts'
import { dataOf, errorOf, methodsOf, notingSuccesses, resourcesOf } from '../harness/sdk.ts'
import { Service } from '../harness/service.ts'
import { apiKeyTests } from './sdk/api-keys.ts'
import { segmentTests } from './sdk/audiences.ts'
import { automationTests } from './sdk/automations.ts'
import { broadcastTests } from './sdk/broadcasts.ts'
import { contactPropertyTests } from './sdk/contact-properties.ts'
import { contactTests } from './sdk/contacts.ts'
import { NOBODY } from './sdk/context.ts'
import { domainTests } from './sdk/domains.ts'
import { emailTests } from './sdk/emails.ts'
import { eventTests } from './sdk/events.ts'
import { importTests } from './sdk/imports.ts'
import { inboxTests } from './sdk/inboxes.ts'
import { logAndUsageTests } from './sdk/logs-and-usage.ts'
import { membershipTests } from './sdk/memberships.ts'
import { receivingTests } from './sdk/receiving.ts'
import { sandboxTests } from './sdk/sandboxes.ts'
import { suppressionTests } from './sdk/suppressions.ts'
import { templateTests } from './sdk/templates.ts'
import { topicTests } from './sdk/topics.ts'
import { webhookTests } from './sdk/webhooks.ts'

// The published SDK against the service as its user starts it. One service for all tests in here.

let service: Service
let resend: Resend
let neighbour: Resend
const successes = new Set<string>()

beforeAll(async () => {
  service = await Service.start({ lifetime: 'file' })
  resend = notingSuccesses(new Resend(service.token, { baseUrl: service.url }), successes)
  const environment = { POSTWREN_DATA_DIR: service.dataDir }
  await postwren(['team', 'create', 'Neighbour'], { environment, lifetime: 'file' })
  const key = await postwren(['key', 'create', 'First', '--team', 'Neighbour'], { environment, lifetime: 'file' })
  neighbour = new Resend(key.stdout.trim(), { baseUrl: service.url })
})

const context = {
  get resend() {
    return resend
  },
  get neighbour() {
    return neighbour
  },
  get smtpPort() {
    return service.smtpPort
  },
  get service() {
    return service
  },
}

describe('API keys', () => apiKeyTests(context))
describe('emails', () => emailTests(context))
describe('received emails', () => receivingTests(context))
describe('inboxes', () => inboxTests(context))
describe('domains', () => domainTests(context))
describe('templates', () => templateTests(context))
describe('broadcasts', () => broadcastTests(context))
describe('topics', () => topicTests(context))
describe('contacts', () => contactTests(context))
describe('segments and topics of contacts', () => membershipTests(context))
describe('imports', () => importTests(context))
describe('segments and audiences', () => segmentTests(context))
describe('contact properties', () => contactPropertyTests(context))
describe('suppressions', () => suppressionTests(context))
describe('webhooks', () => webhookTests(context))
describe('automations', () => automationTests(context))
describe('events', () => eventTests(context))
describe('logs and usage', () => logAndUsageTests(context))
describe('in a sandbox', () => sandboxTests(context))

test.each(['', '/', '//'])('a base URL that ends in "%s" works', async (ending) => {
  const client = new Resend(service.token, { baseUrl: `${service.url}${ending}` })

  expect(await errorOf(client.topics.get(NOBODY))).toMatchObject({ message: 'Topic not found' })
  expect((await dataOf(client.contacts.list({ limit: 1 }))).object).toBe('list')
})

test('the environment alone points a program at the service', async () => {
  vi.stubEnv('RESEND_BASE_URL', service.url)
  vi.stubEnv('RESEND_API_KEY', service.token)
  onTestFinished(() => void vi.unstubAllEnvs())

  const client = new Resend()

  expect((await dataOf(client.usage.get())).object).toBe('usage')
})

test('the headers of answers and of errors tell the rate limit', async () => {
  const [answer, refusal] = [await resend.topics.list(), await resend.topics.get(NOBODY)]

  for (const { headers } of [answer, refusal]) {
    expect(headers).toMatchObject({
      'ratelimit-limit': '1000',
      'ratelimit-remaining': expect.stringMatching(/^\d+$/),
      'ratelimit-reset': expect.stringMatching(/^\d+$/),
      'ratelimit-policy': '1000;w=1',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  }
})

const EMAIL = { from: 'x@example.com', to: 'x@example.com', subject: 'x', text: 'x' }

const WEBHOOK_EVENT = { webhookId: NOBODY, eventId: `msg_${NOBODY}` }

const IN_AN_INBOX = {
  ...{ inboxId: NOBODY, threadId: NOBODY, emailId: NOBODY, draftId: NOBODY, labelId: NOBODY, labels: [NOBODY] },
  ...{ name: 'x', text: 'x', to: 'x@example.com', read: true, instructions: 'x' },
}

/** What a plausible caller gives each method. */
const ARGUMENTS: Record<string, unknown[]> = {
  create: [{ name: 'x', email: 'x@example.com', key: 'x', type: 'string', defaultSubscription: 'opt_in' }],
  update: [{ id: NOBODY, name: 'x', topics: [] }],
  add: [{ email: 'x@example.com', segmentId: NOBODY }],
  get: [NOBODY],
  list: [{ email: 'x@example.com' }],
  remove: [NOBODY],
  'apiKeys.update': [NOBODY, { name: 'x' }],
  'segments.update': [NOBODY, { name: 'x' }],
  'audiences.update': [NOBODY, { name: 'x' }],
  'domains.verify': [NOBODY],
  'domains.claims.verify': [NOBODY],
  'templates.update': [NOBODY, { name: 'x' }],
  'templates.publish': [NOBODY],
  'templates.duplicate': [NOBODY],
  'broadcasts.update': [NOBODY, { name: 'x' }],
  'broadcasts.send': [NOBODY],
  'broadcasts.cancel': [NOBODY],
  'broadcasts.duplicate': [NOBODY],
  'broadcasts.recipients': [NOBODY, { type: 'sent' }],
  'broadcasts.clickedLinks': [NOBODY],
  'topics.list': [],
  'usage.get': [],
  'emails.send': [EMAIL],
  'emails.create': [EMAIL],
  'emails.update': [{ id: NOBODY, scheduledAt: 'in 1 hour' }],
  'emails.cancel': [NOBODY],
  'emails.share': [NOBODY],
  'emails.metrics': [{}],
  'emails.attachments.get': [{ emailId: NOBODY, id: NOBODY }],
  'emails.attachments.list': [{ emailId: NOBODY }],
  'emails.receiving.forward': [{ emailId: NOBODY, to: 'x@example.com', from: 'x@example.com' }],
  'emails.receiving.attachments.get': [{ emailId: NOBODY, id: NOBODY }],
  'emails.receiving.attachments.list': [{ emailId: NOBODY }],
  'batch.send': [[EMAIL]],
  'batch.create': [[EMAIL]],
  'webhooks.create': [{ endpoint: 'https://example.com', events: ['email.sent'] }],
  'webhooks.update': [NOBODY, { status: 'enabled' }],
  'webhooks.rotateSigningSecret': [NOBODY],
  'webhooks.events.list': [{ webhookId: NOBODY }],
  'webhooks.events.get': [WEBHOOK_EVENT],
  'webhooks.events.replay': [WEBHOOK_EVENT],
  'webhooks.events.attempts.list': [WEBHOOK_EVENT],
  'automations.create': [{ name: 'x', steps: [], connections: [] }],
  'automations.update': [NOBODY, { name: 'x' }],
  'automations.duplicate': [NOBODY],
  'automations.stop': [NOBODY],
  'automations.runs.list': [{ automationId: NOBODY }],
  'automations.runs.get': [{ automationId: NOBODY, runId: NOBODY }],
  'events.update': [NOBODY, { schema: null }],
  'events.send': [{ event: 'x', email: 'x@example.com' }],
  'inboxes.create': [{ emailAddress: 'x@example.com' }],
  'inboxes.get': [NOBODY],
  'inboxes.list': [],
  'inboxes.update': [NOBODY, { name: 'x' }],
  'inboxes.remove': [NOBODY],
  ...Object.fromEntries(
    [
      ...['threads.list', 'threads.search', 'threads.get', 'threads.update', 'threads.remove', 'threads.emails.list'],
      ...['threads.emails.get', 'threads.emails.reply', 'threads.emails.forward', 'threads.labels.add'],
      ...['threads.labels.set', 'threads.labels.remove', 'labels.list', 'labels.create', 'labels.update'],
      ...['labels.remove', 'drafts.list', 'drafts.create', 'drafts.get', 'drafts.update', 'drafts.remove'],
      ...['drafts.send', 'agent.get', 'agent.update'],
    ].map((method) => [`inboxes.${method}`, [IN_AN_INBOX]]),
  ),
  'contacts.segments.remove': [{ email: 'x@example.com', segmentId: NOBODY }],
  'suppressions.batch.add': [{ emails: ['x@example.com'] }],
  'suppressions.batch.remove': [{ emails: ['x@example.com'] }],
}

const RESOURCES = [
  'apiKeys',
  'audiences',
  'automations',
  'batch',
  'broadcasts',
  'contactProperties',
  'contacts',
  'domains',
  'emails',
  'events',
  'inboxes',
  'logs',
  'segments',
  'suppressions',
  'templates',
  'topics',
  'usage',
  'webhooks',
]

/** What a key that may only send is for. */
const SENDING = ['emails.send', 'emails.create', 'batch.send', 'batch.create', 'broadcasts.send']

/** Has a test of its own: it is the only one that may still be sending when the answer comes. */
const UPLOAD = 'contacts.imports.create'

test.each([
  ['that is wrong', 're_wrong', { statusCode: 403, name: 'invalid_api_key', message: 'API key is invalid' }],
  ['that may only send', 'sending', { statusCode: 401, name: 'restricted_api_key' }],
])('with a key %s every method fails in the same way', async (_which, name, refusal) => {
  const { token } = await dataOf(resend.apiKeys.create({ name, permission: 'sending_access' }))
  const client = new Resend(name === 'sending' ? token : name, { baseUrl: service.url })

  for (const method of methodsOf(client, RESOURCES)) {
    if (method.name === UPLOAD || (name === 'sending' && SENDING.includes(method.name))) continue
    const words = ARGUMENTS[method.name] ?? ARGUMENTS[method.name.split('.').at(-1)!]
    expect(words, `ARGUMENTS of ${method.name}`).toBeDefined()
    expect(await errorOf(method.call(...words!)), method.name).toMatchObject(refusal)
  }
})

test('an upload that is refused is told why, whatever its size', async () => {
  const client = new Resend('re_wrong', { baseUrl: service.url })
  const files = ['email\n', `email\n${'ada@example.com\n'.repeat(100_000)}`].map((text) => new Blob([text]))

  for (const file of [...files, ...files, ...files, ...files]) {
    const error = await errorOf(client.contacts.imports.create({ file }))
    expect(error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' })
  }
})

test('a service that is away is an error of the SDK, not an exception', async () => {
  const client = new Resend(service.token, { baseUrl: 'http://127.0.0.1:1' })

  const { data, error, headers } = await client.contacts.list()

  expect({ data, headers }).toEqual({ data: null, headers: null })
  expect(error).toMatchObject({ name: 'application_error', statusCode: null })
})

/** Resources of the SDK that this service does not have yet. Move a name up when it has it. */
const MISSING = ['oauthGrants']

test('every method that the SDK has for our resources was called above and succeeded', () => {
  const expected = methodsOf(resend, RESOURCES).map(({ name }) => name)

  expect(resourcesOf(resend).sort()).toEqual([...RESOURCES, ...MISSING].sort())
  expect(expected.length).toBeGreaterThan(40)
  expect(expected.filter((name) => !successes.has(name))).toEqual([])
})
