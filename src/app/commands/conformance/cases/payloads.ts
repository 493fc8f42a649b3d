import type { Case } from '../suite/case.ts'
import type { CaseRun, Json } from '../suite/case-run.ts'
import {
  absent,
  boolean,
  color,
  is,
  iso,
  listing,
  nullable,
  oneOf,
  optional,
  type Shape,
  same,
  string,
  uuid,
} from '../suite/shape.ts'
import { contactBody, topicBody } from './audience.ts'
import { compare, delivered, EMAIL, hookFor } from './hooks.ts'
import { beginThread, draft, inboxBody, label } from './inbox-objects.ts'
import { mail } from './mail.ts'
import { handOverTo } from './receiving.ts'

// What each type of event says, once it was made to happen. Not here, because nothing that a suite may do makes them happen:
// email.delivery_delayed, email.opened and email.clicked (nobody reads mail of test addresses), inbox.thread.assigned and
// inbox.thread.unassigned (people do that, and no operation).

/** Which of the events of its type is meant: others may happen in the account. */
type IsMeant = (data: Json) => boolean

interface Payload {
  readonly type: string
  /** Makes it happen. */
  cause(trial: CaseRun): Promise<IsMeant>
  readonly shape: Shape
}

const has =
  (field: string, value: string): IsMeant =>
  (data) =>
    data[field] === value

const CONTACT = {
  ...{ id: uuid, email: string, created_at: iso, updated_at: iso, unsubscribed: boolean, segment_ids: listing(uuid) },
  ...{ audience_id: optional(string) },
  ...{ first_name: optional(nullable(string)), last_name: optional(nullable(string)) },
}

const makeContact = async (trial: CaseRun) => {
  const body = contactBody(trial)
  const { id } = await trial.made('POST /contacts', { body })
  return { id: String(id), email: body.email }
}

const optOut = async (trial: CaseRun) => {
  const [contact, topic] = [await makeContact(trial), await trial.made('POST /topics', { body: topicBody(trial) })]
  const body = [{ id: topic.id, subscription: 'opt_out' }]
  await trial.made('PATCH /contacts/:id/topics', { params: { id: contact.id }, body })
  return { ...contact, topic_id: String(topic.id) }
}

const CONTACTS: Payload[] = [
  {
    ...{ type: 'contact.updated', shape: { ...CONTACT, first_name: is('Grace') } },
    async cause(trial) {
      const { id } = await makeContact(trial)
      await trial.made('PATCH /contacts/:id', { params: { id }, body: { first_name: 'Grace' } })
      return has('id', id)
    },
  },
  {
    ...{ type: 'contact.deleted', shape: CONTACT },
    async cause(trial) {
      const { id } = await makeContact(trial)
      await trial.made('DELETE /contacts/:id', { params: { id } })
      return has('id', id)
    },
  },
  {
    type: 'contact.topics.updated',
    shape: { email: string, topics: listing({ id: uuid, subscription: oneOf('opt_in', 'opt_out') }) },
    cause: async (trial) => has('email', (await optOut(trial)).email),
  },
]

const DOMAIN = {
  ...{ id: uuid, name: string, status: string, created_at: iso, region: string },
  records: listing({ record: string, name: string, type: string, ttl: string, status: string, value: string }),
}

const makeDomain = async (trial: CaseRun): Promise<string> =>
  (await trial.made('POST /domains', { body: { name: `${trial.fresh('cf')}.example.org` } })).id

const DOMAINS: Payload[] = [
  { type: 'domain.created', shape: DOMAIN, cause: async (trial) => has('id', await makeDomain(trial)) },
  {
    ...{ type: 'domain.updated', shape: DOMAIN },
    async cause(trial) {
      const id = await makeDomain(trial)
      await trial.made('PATCH /domains/:id', { params: { id }, body: { tls: 'enforced' } })
      return has('id', id)
    },
  },
  {
    ...{ type: 'domain.deleted', shape: DOMAIN },
    async cause(trial) {
      const id = await makeDomain(trial)
      await trial.made('DELETE /domains/:id', { params: { id } })
      return has('id', id)
    },
  },
]

const SUPPRESSION = { id: uuid, email: string, origin: is('manual'), source_id: is(null), created_at: iso }

const suppress = async (trial: CaseRun) => {
  const email = trial.address()
  const { id } = await trial.made('POST /suppressions', { body: { email } })
  return { id: String(id), email }
}

const SUPPRESSIONS: Payload[] = [
  { type: 'suppression.added', shape: SUPPRESSION, cause: async (trial) => has('id', (await suppress(trial)).id) },
  {
    ...{ type: 'suppression.removed', shape: SUPPRESSION },
    async cause(trial) {
      const { id } = await suppress(trial)
      await trial.made('DELETE /suppressions/:id', { params: { id } })
      return has('id', id)
    },
  },
]

const TOPIC = {
  ...{ id: uuid, name: string, description: nullable(string), default_subscription: oneOf('opt_in', 'opt_out') },
  ...{ deleted: is(false), created_at: iso, updated_at: iso },
}

const makeTopic = async (trial: CaseRun): Promise<string> =>
  (await trial.made('POST /topics', { body: topicBody(trial) })).id

const TOPICS: Payload[] = [
  { type: 'topic.created', shape: TOPIC, cause: async (trial) => has('id', await makeTopic(trial)) },
  {
    ...{ type: 'topic.updated', shape: { ...TOPIC, description: is('Changed') } },
    async cause(trial) {
      const id = await makeTopic(trial)
      await trial.made('PATCH /topics/:id', { params: { id }, body: { description: 'Changed' } })
      return has('id', id)
    },
  },
  {
    ...{ type: 'topic.deleted', shape: { ...TOPIC, deleted: is(true) } },
    async cause(trial) {
      const id = await makeTopic(trial)
      await trial.made('DELETE /topics/:id', { params: { id } })
      return has('id', id)
    },
  },
]

const send = async (trial: CaseRun, more: object): Promise<IsMeant> =>
  has('email_id', (await trial.made('POST /emails', { body: { ...mail(trial), ...more } })).id)

const EMAILS: Payload[] = [
  { type: 'email.scheduled', shape: EMAIL, cause: (trial) => send(trial, { scheduled_at: 'in 1 hour' }) },
  {
    ...{ type: 'email.complained', shape: EMAIL },
    async cause(trial) {
      const to = `complained+${trial.fresh('cf')}@resend.dev`
      trial.world.options.leftovers.remember(`DELETE /suppressions/${encodeURIComponent(to)}`)
      return send(trial, { to: [to] })
    },
  },
  {
    type: 'email.suppressed',
    shape: { ...EMAIL, suppressed: { message: string, type: oneOf('Suppressed', 'OnAccountSuppressionList') } },
    cause: async (trial) => send(trial, { to: [(await suppress(trial)).email] }),
  },
  {
    ...{ type: 'email.failed', shape: { ...EMAIL, failed: { reason: string } } },
    async cause(trial) {
      const { email, topic_id } = await optOut(trial)
      return send(trial, { to: [email], topic_id })
    },
  },
  {
    type: 'email.received',
    shape: {
      ...{ email_id: uuid, created_at: iso, from: is('ada@elsewhere.example'), to: listing(string), subject: string },
      ...{ cc: listing(string), bcc: listing(string), received_for: optional(listing(string)), message_id: string },
      attachments: listing({ id: uuid, filename: is('notes.txt'), content_type: string }),
      ...{ html: absent, text: absent },
    },
    cause: async (trial) => has('subject', await handOverTo(trial)),
  },
]

const OF_INBOX = { source: oneOf('api', 'dashboard', 'agent', 'system'), inbox_id: uuid }
const OF_EMAIL = { ...OF_INBOX, thread_id: uuid, email_id: uuid }
const OF_DRAFT = { ...OF_INBOX, source: is('api'), draft_id: uuid, thread_id: optional(nullable(uuid)) }

const makeInbox = async (trial: CaseRun): Promise<string> =>
  (await trial.made('POST /inboxes', { body: await inboxBody(trial) })).id

const onDraft = (act: 'PATCH' | 'DELETE' | 'send') => async (trial: CaseRun) => {
  const { id, draft_id } = await draft(trial)
  const params = { id, draft_id }
  if (act === 'send') await trial.made('POST /inboxes/:id/drafts/:draft_id/send', { params, body: {} })
  else
    await trial.made(`${act} /inboxes/:id/drafts/:draft_id`, {
      params,
      ...(act === 'PATCH' && { body: { subject: 'Changed' } }),
    })
  return has('draft_id', draft_id)
}

const ofThread = async (trial: CaseRun) => has('thread_id', (await beginThread(trial)).thread_id)

const INBOXES: Payload[] = [
  {
    ...{ type: 'inbox.created', shape: { ...OF_INBOX, source: is('api') } },
    cause: async (trial) => has('inbox_id', await makeInbox(trial)),
  },
  {
    ...{ type: 'inbox.updated', shape: { ...OF_INBOX, source: is('api') } },
    async cause(trial) {
      const id = await makeInbox(trial)
      await trial.made('PATCH /inboxes/:id', { params: { id }, body: { name: 'Front desk' } })
      return has('inbox_id', id)
    },
  },
  {
    ...{ type: 'inbox.deleted', shape: { ...OF_INBOX, source: is('api') } },
    async cause(trial) {
      const id = await makeInbox(trial)
      await trial.made('DELETE /inboxes/:id', { params: { id } })
      return has('inbox_id', id)
    },
  },
  { type: 'inbox.thread.created', shape: OF_EMAIL, cause: ofThread },
  { type: 'inbox.email.sent', shape: OF_EMAIL, cause: ofThread },
  {
    ...{ type: 'inbox.email.received', shape: OF_EMAIL },
    async cause(trial) {
      const id = await makeInbox(trial)
      const { receiving_address } = await trial.made('GET /inboxes/:id', { params: { id } })
      if (typeof receiving_address !== 'string') return trial.skip('the inbox has no receiving_address')
      await handOverTo(trial, receiving_address)
      return has('inbox_id', id)
    },
  },
  {
    ...{
      type: 'inbox.thread.folder.updated',
      shape: { ...OF_INBOX, thread_id: uuid, from: string, to: is('archive') },
    },
    async cause(trial) {
      const params = await beginThread(trial)
      await trial.made('PATCH /inboxes/:id/threads/:thread_id', { params, body: { folder: 'archive' } })
      return has('thread_id', params.thread_id)
    },
  },
  {
    type: 'inbox.thread.labels.updated',
    shape: { ...OF_INBOX, thread_id: uuid, added: listing({ id: uuid, name: string, color }), removed: same([]) },
    async cause(trial) {
      const [params, { label_id }] = [await beginThread(trial), await label(trial)]
      await trial.made('POST /inboxes/:id/threads/:thread_id/labels', { params, body: { labels: [label_id] } })
      return has('thread_id', params.thread_id)
    },
  },
  {
    ...{ type: 'inbox.draft.created', shape: OF_DRAFT },
    cause: async (trial) => has('draft_id', (await draft(trial)).draft_id),
  },
  { type: 'inbox.draft.updated', shape: OF_DRAFT, cause: onDraft('PATCH') },
  { type: 'inbox.draft.sent', shape: { ...OF_DRAFT, email_id: uuid }, cause: onDraft('send') },
  { type: 'inbox.draft.deleted', shape: OF_DRAFT, cause: onDraft('DELETE') },
]

export const payloadCases = [...EMAILS, ...CONTACTS, ...DOMAINS, ...SUPPRESSIONS, ...TOPICS, ...INBOXES].map(
  ({ type, cause, shape }): Case => ({
    ...{ id: `deliveries.${type}`, title: `${type} has its fields`, operation: null },
    async run(trial) {
      const hook = await hookFor(trial, [type])
      const isMeant = await cause(trial)
      compare(trial, await delivered(trial, hook, { type, isMeant }), shape)
    },
  }),
)
