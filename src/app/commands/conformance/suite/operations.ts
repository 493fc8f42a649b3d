// Every operation of the contract. What all of them are asked (without a key, with a restricted one, with an id of nobody, without the
// fields that they need) derives from this table.

export interface Operation {
  readonly group: string
  /** Fields of the body without which it refuses. */
  readonly required?: readonly string[]
  /** A body that is right, for an id of nobody. */
  readonly body?: unknown
  readonly query?: string
  /** What is no id: a name, an alias or an address does as well. */
  readonly takesNames?: true
  /** The sources do not say that an id of nobody is refused, or say that it is not. */
  readonly acceptsUnknown?: true
  /** A key that may only send may call it. */
  readonly isSending?: true
  /** In a private beta: a server may not have it. */
  readonly isBeta?: true
}

const emails = 'emails'
const receiving = 'receiving'
const domains = 'domains'
const keys = 'api-keys'
const templates = 'templates'
const broadcasts = 'broadcasts'
const contacts = 'contacts'
const segments = 'segments'
const audiences = 'audiences'
const topics = 'topics'
const properties = 'contact-properties'
const suppressions = 'suppressions'
const webhooks = 'webhooks'
const automations = 'automations'
const events = 'events'
const inboxes = 'inboxes'

const later = 'in 1 hour'

const TABLE = {
  'POST /emails': { group: emails, required: ['to'], isSending: true },
  'POST /emails/batch': { group: emails, isSending: true },
  'GET /emails': { group: emails },
  'GET /emails/metrics': { group: emails },
  'GET /emails/:id': { group: emails },
  'PATCH /emails/:id': { group: emails, body: { scheduled_at: later } },
  'POST /emails/:id/cancel': { group: emails },
  'POST /emails/:id/share': { group: emails, body: {} },
  'GET /emails/:id/attachments': { group: emails },
  'GET /emails/:id/attachments/:attachment_id': { group: emails },

  'GET /emails/receiving': { group: receiving },
  'GET /emails/receiving/:id': { group: receiving },
  'GET /emails/receiving/:id/attachments': { group: receiving },
  'GET /emails/receiving/:id/attachments/:attachment_id': { group: receiving },

  'POST /domains': { group: domains, required: ['name'] },
  'GET /domains': { group: domains },
  'GET /domains/:id': { group: domains },
  'PATCH /domains/:id': { group: domains, body: { open_tracking: false } },
  'DELETE /domains/:id': { group: domains },
  'POST /domains/:id/verify': { group: domains },
  'POST /domains/claim': { group: domains, required: ['name'] },
  'GET /domains/:id/claim': { group: domains },
  'POST /domains/:id/claim/verify': { group: domains },

  'POST /api-keys': { group: keys, required: ['name'] },
  'GET /api-keys': { group: keys },
  'PATCH /api-keys/:id': { group: keys, body: { name: 'Nobody' } },
  'DELETE /api-keys/:id': { group: keys },

  'GET /oauth/grants': { group: 'oauth' },
  'DELETE /oauth/grants/:id': { group: 'oauth' },

  'POST /templates': { group: templates, required: ['name', 'html'] },
  'GET /templates': { group: templates },
  'GET /templates/:id': { group: templates, takesNames: true },
  'PATCH /templates/:id': { group: templates, body: { name: 'Nobody' }, takesNames: true },
  'DELETE /templates/:id': { group: templates, takesNames: true },
  'POST /templates/:id/publish': { group: templates, takesNames: true },
  'POST /templates/:id/duplicate': { group: templates, takesNames: true },

  'POST /broadcasts': { group: broadcasts, required: ['segment_id', 'from', 'subject'] },
  'GET /broadcasts': { group: broadcasts },
  'GET /broadcasts/:id': { group: broadcasts },
  'PATCH /broadcasts/:id': { group: broadcasts, body: { name: 'Nobody' } },
  'DELETE /broadcasts/:id': { group: broadcasts },
  'POST /broadcasts/:id/send': { group: broadcasts, body: {}, isSending: true },
  'POST /broadcasts/:id/cancel': { group: broadcasts },
  'POST /broadcasts/:id/duplicate': { group: broadcasts },
  'GET /broadcasts/:id/recipients': { group: broadcasts, query: 'type=sent' },
  'GET /broadcasts/:id/clicked-links': { group: broadcasts },
  'GET /broadcasts/metrics': { group: broadcasts, isBeta: true },
  'GET /broadcasts/:id/metrics': { group: broadcasts, isBeta: true },

  'POST /contacts': { group: contacts, required: ['email'] },
  'GET /contacts': { group: contacts },
  'GET /contacts/:id': { group: contacts, takesNames: true },
  'PATCH /contacts/:id': { group: contacts, body: { first_name: 'Nobody' }, takesNames: true },
  'DELETE /contacts/:id': { group: contacts, takesNames: true },
  'GET /contacts/:id/segments': { group: contacts, takesNames: true },
  'POST /contacts/:id/segments/:segment_id': { group: contacts, takesNames: true },
  'DELETE /contacts/:id/segments/:segment_id': { group: contacts, takesNames: true },
  'GET /contacts/:id/topics': { group: contacts, takesNames: true },
  'PATCH /contacts/:id/topics': { group: contacts, body: [], takesNames: true, acceptsUnknown: true },
  'POST /contacts/imports': { group: contacts },
  'GET /contacts/imports': { group: contacts },
  'GET /contacts/imports/:id': { group: contacts },

  'POST /segments': { group: segments, required: ['name'] },
  'GET /segments': { group: segments },
  'GET /segments/:id': { group: segments },
  'PATCH /segments/:id': { group: segments, body: { name: 'Nobody' } },
  'DELETE /segments/:id': { group: segments, acceptsUnknown: true },
  'GET /segments/:id/contacts': { group: segments, acceptsUnknown: true },
  'GET /segments/metrics': { group: segments, isBeta: true },

  'POST /audiences': { group: audiences, required: ['name'] },
  'GET /audiences': { group: audiences },
  'GET /audiences/:id': { group: audiences },
  'DELETE /audiences/:id': { group: audiences, acceptsUnknown: true },
  'POST /audiences/:id/contacts': { group: audiences, acceptsUnknown: true },
  'GET /audiences/:id/contacts': { group: audiences, acceptsUnknown: true },
  'GET /audiences/:id/contacts/:contact_id': { group: audiences, takesNames: true },
  'PATCH /audiences/:id/contacts/:contact_id': { group: audiences, body: { first_name: 'Nobody' }, takesNames: true },
  'DELETE /audiences/:id/contacts/:contact_id': { group: audiences, takesNames: true, acceptsUnknown: true },

  'POST /topics': { group: topics, required: ['name'] },
  'GET /topics': { group: topics },
  'GET /topics/:id': { group: topics },
  'PATCH /topics/:id': { group: topics, body: { name: 'Nobody' } },
  'DELETE /topics/:id': { group: topics },

  'POST /contact-properties': { group: properties, required: ['key', 'type'] },
  'GET /contact-properties': { group: properties },
  'GET /contact-properties/:id': { group: properties },
  'PATCH /contact-properties/:id': { group: properties, body: { fallback_value: null } },
  'DELETE /contact-properties/:id': { group: properties },

  'POST /suppressions': { group: suppressions, required: ['email'] },
  'GET /suppressions': { group: suppressions },
  'GET /suppressions/:id': { group: suppressions, takesNames: true },
  'DELETE /suppressions/:id': { group: suppressions, takesNames: true },
  'POST /suppressions/batch/add': { group: suppressions, required: ['emails'] },
  'POST /suppressions/batch/remove': { group: suppressions },

  'POST /webhooks': { group: webhooks, required: ['endpoint', 'events'] },
  'GET /webhooks': { group: webhooks },
  'GET /webhooks/:id': { group: webhooks },
  'PATCH /webhooks/:id': { group: webhooks, body: { status: 'disabled' } },
  'DELETE /webhooks/:id': { group: webhooks },
  'POST /webhooks/:id/signing-secret/rotate': { group: webhooks },
  'GET /webhooks/:id/events': { group: webhooks },
  'GET /webhooks/:id/events/:event_id': { group: webhooks, takesNames: true },
  'POST /webhooks/:id/events/:event_id/replay': { group: webhooks, takesNames: true },
  'GET /webhooks/:id/events/:event_id/attempts': { group: webhooks, takesNames: true },

  'POST /automations': { group: automations, required: ['name', 'steps'] },
  'GET /automations': { group: automations },
  'GET /automations/:id': { group: automations },
  'PATCH /automations/:id': { group: automations, body: { name: 'Nobody' } },
  'DELETE /automations/:id': { group: automations },
  'POST /automations/:id/duplicate': { group: automations },
  'POST /automations/:id/stop': { group: automations },
  'GET /automations/:id/runs': { group: automations },
  'GET /automations/:id/runs/:run_id': { group: automations },

  'POST /events': { group: events, required: ['name'] },
  'GET /events': { group: events },
  'POST /events/send': { group: events, required: ['event'] },
  'GET /events/:id': { group: events, takesNames: true },
  'PATCH /events/:id': { group: events, body: { schema: null }, takesNames: true },
  'DELETE /events/:id': { group: events, takesNames: true },

  'GET /logs': { group: 'logs' },
  'GET /logs/:id': { group: 'logs' },
  'GET /usage': { group: 'usage' },

  'POST /inboxes': { group: inboxes, required: ['email_address'], isBeta: true },
  'GET /inboxes': { group: inboxes, isBeta: true },
  'GET /inboxes/:id': { group: inboxes, takesNames: true, isBeta: true },
  'PATCH /inboxes/:id': { group: inboxes, body: { name: 'Nobody' }, takesNames: true, isBeta: true },
  'DELETE /inboxes/:id': { group: inboxes, takesNames: true, isBeta: true },
  'GET /inboxes/:id/threads': { group: inboxes, takesNames: true, isBeta: true },
  'GET /inboxes/:id/threads/search': { group: inboxes, query: 'query=nobody', takesNames: true, isBeta: true },
  'GET /inboxes/:id/threads/:thread_id': { group: inboxes, takesNames: true, isBeta: true },
  'PATCH /inboxes/:id/threads/:thread_id': { group: inboxes, body: { read: true }, takesNames: true, isBeta: true },
  'DELETE /inboxes/:id/threads/:thread_id': { group: inboxes, takesNames: true, isBeta: true },
  'GET /inboxes/:id/threads/:thread_id/emails': { group: inboxes, takesNames: true, isBeta: true },
  'GET /inboxes/:id/threads/:thread_id/emails/:email_id': { group: inboxes, takesNames: true, isBeta: true },
  'POST /inboxes/:id/threads/:thread_id/emails/:email_id/reply': {
    ...{ group: inboxes, body: { text: 'Hello' }, takesNames: true, isBeta: true },
  },
  'POST /inboxes/:id/threads/:thread_id/emails/:email_id/forward': {
    ...{ group: inboxes, body: { to: ['delivered@resend.dev'], text: 'Hello' }, takesNames: true, isBeta: true },
  },
  'POST /inboxes/:id/threads/:thread_id/labels': {
    ...{ group: inboxes, body: { labels: [] }, takesNames: true, isBeta: true, acceptsUnknown: true },
  },
  'PUT /inboxes/:id/threads/:thread_id/labels': {
    ...{ group: inboxes, body: { labels: [] }, takesNames: true, isBeta: true, acceptsUnknown: true },
  },
  'DELETE /inboxes/:id/threads/:thread_id/labels/:label_id': { group: inboxes, takesNames: true, isBeta: true },
  'GET /inboxes/:id/labels': { group: inboxes, takesNames: true, isBeta: true },
  'POST /inboxes/:id/labels': { group: inboxes, takesNames: true, isBeta: true, acceptsUnknown: true },
  'PATCH /inboxes/:id/labels/:label_id': { group: inboxes, body: { name: 'Nobody' }, takesNames: true, isBeta: true },
  'DELETE /inboxes/:id/labels/:label_id': { group: inboxes, takesNames: true, isBeta: true },
  'GET /inboxes/:id/drafts': { group: inboxes, takesNames: true, isBeta: true },
  'POST /inboxes/:id/drafts': { group: inboxes, body: { text: 'Hello' }, takesNames: true, isBeta: true },
  'GET /inboxes/:id/drafts/:draft_id': { group: inboxes, takesNames: true, isBeta: true },
  'PATCH /inboxes/:id/drafts/:draft_id': { group: inboxes, body: { text: 'Hello' }, takesNames: true, isBeta: true },
  'DELETE /inboxes/:id/drafts/:draft_id': { group: inboxes, takesNames: true, isBeta: true },
  'POST /inboxes/:id/drafts/:draft_id/send': { group: inboxes, body: {}, takesNames: true, isBeta: true },
  'GET /inboxes/:id/agent': { group: inboxes, takesNames: true, isBeta: true },
  'PATCH /inboxes/:id/agent': { group: inboxes, body: { tone: null }, takesNames: true, isBeta: true },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof TABLE

export const OPERATIONS: Readonly<Record<OperationId, Operation>> = TABLE
export const OPERATION_IDS = Object.keys(TABLE) as OperationId[]

export const operationsOf = (group: string) => OPERATION_IDS.filter((id) => OPERATIONS[id].group === group)

/** A well-formed id of nothing. */
export const NOBODY = '00000000-0000-4000-8000-000000000000'

/** Of `GET /emails/:id`. */
export function pathOf(id: OperationId, params: Readonly<Record<string, string>> = {}): string {
  return id.slice(id.indexOf(' ') + 1).replace(/:(\w+)/g, (_match, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${id} needs ${name}`)
    return value
  })
}

export const methodOf = (id: OperationId) => id.slice(0, id.indexOf(' '))

/** The names in its path: `id`, `attachment_id`. */
export const paramsOf = (id: OperationId) => [...id.matchAll(/:(\w+)/g)].map(([, name]) => name!)
