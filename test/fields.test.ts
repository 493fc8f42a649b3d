import type { TObject } from 'typebox'
import { expect, test } from 'vitest'
import { ENDPOINTS } from '../src/features/index.ts'
import type { Endpoint } from '../src/kernel/http/endpoint.ts'
import { RETENTION_KINDS } from '../src/mail/retention-kinds.ts'
import { startApp } from './harness/app.ts'
import { automationAfter } from './harness/automations.ts'
import { type Caller, callerOf } from './harness/callers.ts'
import { saying } from './harness/documents.ts'
import { freshName } from './harness/domains.ts'
import { call, pathOf, tomorrow } from './harness/requests.ts'
import { sampleOf } from './harness/sample.ts'
import { makeWorld, type World } from './harness/world.ts'

// What a caller writes is kept, and shown to whoever asks: each field of each body that creates or changes something. Twice with
// other values, so that none is shown only because it is what the database puts there by itself.

const byId = new Map(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint]))

/** How the object is retrieved, by its id or where there is one alone: `topics.get` for `topics.create` and `topics.update`. */
function retrieved({ id, path }: Endpoint): Endpoint | undefined {
  const get = byId.get(id.replace(/\w+$/, 'get'))
  return get && (/:\w+$/.test(get.path) || get.path === path) ? get : undefined
}

const writers = ENDPOINTS.filter((one) => /\.(create|add|update)$/.test(one.id) && one.body && retrieved(one))

/** Fields that are no field of what is retrieved, each with where it goes. A field that is new belongs here only if it has a reason. */
const ELSEWHERE: Record<string, Record<string, string>> = {
  'api-keys.create': { expires_at: 'shown as our timestamps are' },
  'contacts.create': {
    segments: 'memberships',
    segment_id: 'memberships',
    audience_id: 'memberships',
    topics: 'choices',
  },
  'audiences.contacts.create': {
    segments: 'memberships',
    segment_id: 'memberships',
    audience_id: 'memberships',
    topics: 'choices',
  },
  'domains.create': { custom_return_path: 'the records', dkim: 'the records', tls: 'the sender' },
  'domains.update': { tls: 'the sender', mta_sts: 'the records, and shown unless it is off' },
  // Beside what it is without it, and what it can be at most.
  'team.retention.update': Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, 'own'])),
  'broadcasts.create': { send: 'the job', scheduled_at: 'the job' },
  'emails.update': { scheduled_at: 'shown as our timestamps are' },
  'inboxes.create': { forwarding: 'the receiving address' },
  'sandboxes.create': { expires_in: 'when it ends' },
  'clock.update': { advance: 'what time it is', to: 'what time it is' },
  'inboxes.drafts.update': { version: 'the one that is changed' },
  'editor.content.update': {
    version: 'the one that is changed',
    content: 'with the attributes that nodes have by default',
  },
}

const word = (text: string, turn: number) => `${text}${turn}`

/** What a schema alone does not tell. */
const GIVEN: Record<string, (world: World, turn: number) => object> = {
  'api-keys.create': ({ domains, segments }, turn) => ({
    ...{ permission: 'sending_access', domain_id: domains, expires_at: 'in 90 days' },
    policy: policyOf(segments!, turn),
  }),
  'api-keys.update': ({ segments }, turn) => ({ policy: turn === 0 ? policyOf(segments!, 2) : null }),
  'contacts.create': ({ segments }) => ({ segment_id: segments }),
  'contact-properties.create': (_world, turn) => ({
    type: turn === 0 ? 'string' : 'number',
    fallback_value: turn === 0 ? 'none' : 7,
  }),
  'contact-properties.update': (_world, turn) => ({ fallback_value: turn + 7 }),
  'domains.create': (_world, turn) => ({
    name: freshName(),
    custom_return_path: word('bounce', turn),
    tracking_subdomain: word('links', turn),
    capabilities: able(turn),
  }),
  'domains.update': (_world, turn) => ({
    tracking_subdomain: word('clicks', turn),
    capabilities: able(turn),
    mta_sts: 'off',
  }),
  'broadcasts.create': ({ segments, topics }, turn) => ({ ...mailing(turn), segment_id: segments, topic_id: topics }),
  'broadcasts.update': ({ segments, topics }, turn) => ({ ...mailing(turn), segment_id: segments, topic_id: topics }),
  'automations.create': (_world, turn) => automationAfter(word('created', turn)),
  // Steps can be changed by who disables it.
  'automations.update': (_world, turn) => ({
    ...automationAfter(word('changed', turn)),
    status: turn === 0 ? 'enabled' : 'disabled',
  }),
  'emails.update': () => ({ scheduled_at: tomorrow() }),
  'inboxes.agent.update': ({ segments }, turn) => ({ policy: policyOf(segments!, turn) }),
  'sandboxes.create': (_world, turn) => ({ seed: word('seed', turn), expires_in: '2 hours' }),
  'clock.update': (_world, turn) => ({ advance: undefined, to: undefined, is_frozen: turn === 0 }),
  'inboxes.create': (world, turn) => ({ email_address: `${word('help', turn)}@${world['domain that receives']}` }),
  'inboxes.threads.update': (world, turn) => ({ assignee_email: turn === 0 ? world['address of a member'] : null }),
  'inboxes.drafts.create': (world, turn) => ({
    ...draft(turn),
    thread_id: turn === 0 ? world.threads : undefined,
    reply_to_email_id: turn === 0 ? world['emails of threads'] : null,
    forward_of_email_id: turn === 0 ? null : world['emails of threads'],
  }),
  'inboxes.drafts.update': (_world, turn) => ({ ...draft(turn + 2), version: turn + 1 }),
  'editor.content.update': ({ templates }, turn) => ({
    ...{ resource_type: 'template', resource_id: templates, version: undefined },
    content: saying(word('Hello', turn)),
  }),
  'team.update': ({ images }, turn) => ({ logo_image_id: turn === 0 ? images : null }),
  'team.retention.update': (_world, turn) =>
    Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, turn === 0 ? '7d' : null])),
  'webhooks.create': (_world, turn) => ({ endpoint: `https://example.com/${turn}` }),
  'webhooks.update': (_world, turn) => ({ endpoint: `https://example.com/changed/${turn}` }),
  'templates.create': (_world, turn) => ({
    reply_to: [`help${turn}@example.com`],
    variables: [variable(turn)],
  }),
  'templates.update': (_world, turn) => ({
    reply_to: [`desk${turn}@example.com`],
    variables: [variable(turn + 2)],
  }),
}

const policyOf = (segment: string, turn: number) => ({
  recipients: {
    addresses: [`ada${turn}@example.com`],
    domains: [`d${turn}.dev`],
    segment_id: segment,
    wrote_first: true,
  },
  ...{ max_emails_per_hour: turn, max_emails_per_day: turn + 1, max_emails_per_recipient_per_day: turn + 2 },
  ...{ templates_only: turn === 0, senders: [`d${turn}.dev`, 'ada@example.com'], no_bcc: true, dry_run: turn === 0 },
  hold: { notify: [`boss${turn}@example.com`], expires_in_hours: turn + 1 },
})

const draft = (turn: number) => ({
  to: [`ada${turn}@example.com`],
  cc: [`bob${turn}@example.com`],
  bcc: [`eve${turn}@example.com`],
  attachments: [{ filename: word('notes', turn), content: 'aGVsbG8=', content_type: 'text/plain' }],
})

const variable = (turn: number) => ({ key: 'NAME', type: 'string', fallback_value: word('you', turn) })

const able = (turn: number) =>
  turn === 0 ? { sending: 'enabled', receiving: 'enabled' } : { sending: 'enabled', receiving: 'disabled' }

const mailing = (turn: number) => ({
  from: `Acme <news${turn}@acme.dev>`,
  reply_to: [`help${turn}@example.com`],
  audience_id: undefined,
  send: false,
  scheduled_at: undefined,
})

/** How what was written is shown, where it is not shown as it was written. */
const SHOWN: Record<string, (written: never) => unknown> = {
  properties: (written: Record<string, string>) =>
    Object.fromEntries(Object.entries(written).map(([key, value]) => [key, { type: 'string', value }])),
  variables: (written: object[]) => written.map((one) => expect.objectContaining(one)),
  attachments: (written: { filename: string; content_type: string }[]) =>
    written.map(({ filename, content_type }) => expect.objectContaining({ filename, content_type, size: 5 })),
  capabilities: (written: object) => expect.objectContaining(written),
}

function bodyFor(endpoint: Endpoint, world: World, turn: number): Record<string, unknown> {
  const sample = sampleOf(endpoint.body!, world, 'all', { turn }) as object
  return { ...sample, ...GIVEN[endpoint.id]?.(world, turn) }
}

/** Which of the fields are not shown as they were written. */
function lost(endpoint: Endpoint, body: Record<string, unknown>, shown: Record<string, unknown>): string[] {
  const fields = Object.keys((endpoint.body as TObject).properties)
  return fields.filter((field) => {
    if (ELSEWHERE[endpoint.id]?.[field] || body[field] === undefined) return false
    try {
      expect(shown[field]).toEqual(SHOWN[field]?.(body[field] as never) ?? body[field])
      return false
    } catch {
      return true
    }
  })
}

/** The answer has the id, or the path has it. */
async function look(client: Caller, endpoint: Endpoint, world: World, id: string | undefined) {
  const get = retrieved(endpoint)!
  const parameter = /:(\w+)$/.exec(get.path)?.[1]
  return (await client.get(pathOf(get, world, id && parameter ? { [parameter]: id } : {}))).body
}

test('each field that a caller may write is kept and shown', async () => {
  const app = await startApp()
  const acme = await app.as('acme')
  const world = await makeWorld(acme, app)
  const dropped: Record<string, string[]> = {}

  for (const endpoint of writers) {
    const caller = await callerOf(app, acme, endpoint)
    for (const turn of [0, 1]) {
      const body = bodyFor(endpoint, world, turn)
      const { body: answer, status } = await call(caller, endpoint, pathOf(endpoint, world), body)
      if (status >= 400) dropped[endpoint.id] = [answer.message]
      if (status >= 400) continue
      const shown = await look(caller, endpoint, world, endpoint.method === 'POST' ? answer.id : undefined)
      const fields = lost(endpoint, body, shown)
      if (fields.length > 0) dropped[endpoint.id] = fields
    }
  }

  expect(dropped).toEqual({})
})
