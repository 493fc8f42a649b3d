import type { Case, Group } from '../suite/case.ts'
import type { Json } from '../suite/case-run.ts'
import {
  anything,
  boolean,
  color,
  count,
  is,
  iso,
  listing,
  listOf,
  nullable,
  oneOf,
  optional,
  same,
  string,
  uuid,
} from '../suite/shape.ts'
import { everyOperationCases } from './every-operation.ts'
import { draft, draftBody, inbox, inboxBody, label, MADE_DRAFT, message, thread } from './inbox-objects.ts'
import { listCases } from './lists.ts'
import { resourceCases } from './resources.ts'

const LISTED = {
  id: uuid,
  name: nullable(string),
  email_address: string,
  from_name: nullable(string),
  unread: count,
  last_received: nullable(iso),
  created_at: iso,
  updated_at: iso,
}

const LABEL = { id: uuid, name: string, color, created_at: iso }
const LABELED = { object: is('list'), data: listing({ id: uuid, name: string, color }) }

const DRAFT = {
  id: uuid,
  type: oneOf('standalone', 'reply'),
  to: nullable(listing(string)),
  cc: nullable(listing(string)),
  bcc: nullable(listing(string)),
  subject: nullable(string),
  thread_id: nullable(uuid),
  reply_to_email_id: nullable(uuid),
  updated_at: iso,
  attachments: listing(anything),
}

const THREAD = {
  id: uuid,
  subject: nullable(string),
  labels: listing({ id: uuid, name: string, color }),
  read: boolean,
  folder: string,
}

const LISTED_THREAD = {
  ...{ ...THREAD, from: nullable(string), to: listing(string), cc: listing(string), bcc: listing(string) },
  ...{ email_count: count, has_attachment: boolean, has_draft: boolean, received_at: iso },
}

const MESSAGE = {
  ...{ id: uuid, direction: oneOf('inbound', 'outbound'), from: string, to: listing(string), cc: listing(string) },
  ...{ bcc: listing(string), subject: nullable(string), html: nullable(string), text: nullable(string) },
  ...{ attachments: listing(anything), read: boolean, received_at: iso },
}

const drafts: Case[] = [
  {
    ...{ id: 'inboxes.drafts.create', title: 'makes a draft', operation: 'POST /inboxes/:id/drafts' },
    async run(trial) {
      const { id } = await trial.need(inbox)
      ;(await trial.call('POST /inboxes/:id/drafts', { params: { id }, body: draftBody(trial) })).is(201, MADE_DRAFT)
    },
  },
  {
    ...{ id: 'inboxes.drafts.get', title: 'reads a draft', operation: 'GET /inboxes/:id/drafts/:draft_id' },
    async run(trial) {
      const { given, ...params } = await draft(trial)
      const answer = await trial.call('GET /inboxes/:id/drafts/:draft_id', { params })
      answer.is(200, {
        ...{ ...DRAFT, ...MADE_DRAFT, id: is(params.draft_id), subject: is(given.subject), text: is('Hello') },
        ...{ to: same(given.to), html: nullable(string), created_at: iso },
      })
    },
  },
  {
    ...{ id: 'inboxes.drafts.list', title: 'lists drafts', operation: 'GET /inboxes/:id/drafts' },
    async run(trial) {
      const { id } = await draft(trial)
      ;(await trial.call('GET /inboxes/:id/drafts', { params: { id } })).is(200, listOf(DRAFT))
    },
  },
  {
    ...{ id: 'inboxes.drafts.update', title: 'changes a draft', operation: 'PATCH /inboxes/:id/drafts/:draft_id' },
    async run(trial) {
      const { given: _given, ...params } = await draft(trial)
      const answer = await trial.call('PATCH /inboxes/:id/drafts/:draft_id', { params, body: { subject: 'Changed' } })
      answer.is(200, { ...MADE_DRAFT, id: is(params.draft_id) })
      ;(await trial.call('GET /inboxes/:id/drafts/:draft_id', { params })).is(200, { subject: is('Changed') })
    },
  },
  {
    ...{ id: 'inboxes.drafts.delete', title: 'deletes a draft', operation: 'DELETE /inboxes/:id/drafts/:draft_id' },
    async run(trial) {
      const { given: _given, ...params } = await draft(trial)
      const answer = await trial.call('DELETE /inboxes/:id/drafts/:draft_id', { params })
      answer.is(200, { ...MADE_DRAFT, deleted: is(true) })
    },
  },
  {
    ...{
      id: 'inboxes.drafts.send',
      title: 'sends a draft, once',
      operation: 'POST /inboxes/:id/drafts/:draft_id/send',
    },
    async run(trial) {
      const { given: _given, ...params } = await draft(trial)
      const send = () => trial.call('POST /inboxes/:id/drafts/:draft_id/send', { params, body: {} })
      ;(await send()).is(200, { id: uuid })
      ;(await send()).fails(
        [404, 409],
        ['not_found', 'validation_error', 'resource_locked', 'invalid_idempotent_request'],
      )
    },
  },
]

const labels: Case[] = [
  {
    ...{ id: 'inboxes.labels.create', title: 'makes a label', operation: 'POST /inboxes/:id/labels' },
    async run(trial) {
      const { id } = await trial.need(inbox)
      const answer = await trial.call('POST /inboxes/:id/labels', {
        ...{ params: { id }, body: { name: trial.fresh('label'), color: '#112233' } },
      })
      answer.is(201, { object: is('inbox_label'), id: uuid })
    },
  },
  {
    ...{ id: 'inboxes.labels.list', title: 'lists labels', operation: 'GET /inboxes/:id/labels' },
    async run(trial) {
      const { id } = await label(trial)
      ;(await trial.call('GET /inboxes/:id/labels', { params: { id } })).is(200, {
        object: is('list'),
        data: listing(LABEL),
      })
    },
  },
  {
    ...{ id: 'inboxes.labels.update', title: 'changes a label', operation: 'PATCH /inboxes/:id/labels/:label_id' },
    async run(trial) {
      const params = await label(trial)
      const body = { name: trial.fresh('renamed') }
      ;(await trial.call('PATCH /inboxes/:id/labels/:label_id', { params, body })).is(200, { id: is(params.label_id) })
    },
  },
  {
    ...{ id: 'inboxes.labels.delete', title: 'deletes a label', operation: 'DELETE /inboxes/:id/labels/:label_id' },
    async run(trial) {
      const params = await label(trial)
      const answer = await trial.call('DELETE /inboxes/:id/labels/:label_id', { params })
      answer.is(200, { id: is(params.label_id), deleted: is(true) })
    },
  },
]

const threads: Case[] = [
  {
    ...{ id: 'inboxes.threads.list', title: 'lists threads', operation: 'GET /inboxes/:id/threads' },
    async run(trial) {
      const { id } = await trial.need(thread)
      const answer = await trial.call('GET /inboxes/:id/threads', { params: { id }, query: 'folders=sent,inbox' })
      const { data } = answer.is(200, listOf(LISTED_THREAD))
      trial.check(answer.request, { expected: 'a thread', isTrue: data?.length > 0, actual: data })
    },
  },
  {
    ...{ id: 'inboxes.threads.search', title: 'finds threads', operation: 'GET /inboxes/:id/threads/search' },
    async run(trial) {
      const { id } = await trial.need(thread)
      const query = { query: 'Hello', folders: 'sent,inbox' }
      const answer = await trial.call('GET /inboxes/:id/threads/search', { params: { id }, query })
      answer.is(200, listOf({ ...LISTED_THREAD, matched_email_id: nullable(uuid) }))
    },
  },
  {
    ...{ id: 'inboxes.threads.get', title: 'reads a thread', operation: 'GET /inboxes/:id/threads/:thread_id' },
    async run(trial) {
      const params = await trial.need(thread)
      const answer = await trial.call('GET /inboxes/:id/threads/:thread_id', { params })
      answer.is(200, { ...THREAD, object: is('inbox_thread'), id: is(params.thread_id) })
    },
  },
  {
    ...{ id: 'inboxes.threads.update', title: 'marks a thread', operation: 'PATCH /inboxes/:id/threads/:thread_id' },
    async run(trial) {
      const params = await trial.need(thread)
      const answer = await trial.call('PATCH /inboxes/:id/threads/:thread_id', { params, body: { read: true } })
      answer.is(200, { object: is('inbox_thread'), id: is(params.thread_id) })
    },
  },
  {
    ...{
      id: 'inboxes.emails.list',
      title: 'lists the emails of a thread',
      operation: 'GET /inboxes/:id/threads/:thread_id/emails',
    },
    async run(trial) {
      const params = await trial.need(thread)
      ;(await trial.call('GET /inboxes/:id/threads/:thread_id/emails', { params })).is(200, listOf(MESSAGE))
    },
  },
  {
    ...{ id: 'inboxes.emails.get', title: 'reads an email of a thread' },
    operation: 'GET /inboxes/:id/threads/:thread_id/emails/:email_id',
    async run(trial) {
      const params = await trial.need(message)
      const answer = await trial.call('GET /inboxes/:id/threads/:thread_id/emails/:email_id', { params })
      answer.is(200, { ...MESSAGE, id: is(params.email_id), direction: is('outbound') })
    },
  },
  ...(['reply', 'forward'] as const).map((act): Case => {
    const operation = `POST /inboxes/:id/threads/:thread_id/emails/:email_id/${act}` as const
    return {
      ...{ id: `inboxes.emails.${act}`, title: `${act === 'reply' ? 'answers' : 'forwards'} an email`, operation },
      async run(trial) {
        const params = await trial.need(message)
        const body = { text: 'Hello', ...(act === 'forward' && { to: [trial.address()] }) }
        ;(await trial.call(operation, { params, body })).is(200, { id: optional(uuid) })
      },
    }
  }),
  ...(['POST', 'PUT'] as const).map((method): Case => {
    const operation = `${method} /inboxes/:id/threads/:thread_id/labels` as const
    return {
      ...{ id: `inboxes.threads.${method === 'POST' ? 'add' : 'set'}-labels`, title: 'labels a thread', operation },
      async run(trial) {
        const { label_id } = await label(trial)
        const params = await trial.need(thread)
        const answer = await trial.call(operation, { params, body: { labels: [label_id] } })
        const { data = [] } = answer.is(200, LABELED)
        const isThere = data.some((one: Json) => one?.id === label_id)
        trial.check(answer.request, { expected: label_id, isTrue: isThere, actual: data })
      },
    }
  }),
  {
    ...{ id: 'inboxes.threads.remove-label', title: 'takes a label off a thread' },
    operation: 'DELETE /inboxes/:id/threads/:thread_id/labels/:label_id',
    async run(trial) {
      const { label_id } = await label(trial)
      const params = await trial.need(thread)
      await trial.made('POST /inboxes/:id/threads/:thread_id/labels', { params, body: { labels: [label_id] } })
      const operation = 'DELETE /inboxes/:id/threads/:thread_id/labels/:label_id'
      const { data = [] } = (await trial.call(operation, { params: { ...params, label_id } })).is(200, LABELED)
      const isGone = !data.some((one: Json) => one?.id === label_id)
      trial.check(operation, { expected: 'the label is removed', isTrue: isGone, actual: data })
    },
  },
  {
    ...{
      id: 'inboxes.threads.delete',
      title: 'moves a thread to the trash',
      operation: 'DELETE /inboxes/:id/threads/:thread_id',
    },
    async run(trial) {
      const params = await trial.need(thread)
      const answer = await trial.call('DELETE /inboxes/:id/threads/:thread_id', { params })
      answer.is(200, { object: is('inbox_thread'), id: is(params.thread_id), deleted: is(true) })
    },
  },
]

const agent: Case[] = [
  {
    ...{ id: 'inboxes.agent.get', title: 'reads the agent of an inbox', operation: 'GET /inboxes/:id/agent' },
    async run(trial) {
      const { id } = await trial.need(inbox)
      const answer = await trial.call('GET /inboxes/:id/agent', { params: { id } })
      answer.is(200, {
        ...{
          object: is('inbox_agent'),
          instructions: nullable(string),
          tone: nullable(string),
          actions: listing(string),
        },
      })
    },
  },
  {
    ...{ id: 'inboxes.agent.update', title: 'changes the agent of an inbox', operation: 'PATCH /inboxes/:id/agent' },
    async run(trial) {
      const { id } = await trial.need(inbox)
      const body = { instructions: 'Be brief.', tone: 'concise_casual' }
      ;(await trial.call('PATCH /inboxes/:id/agent', { params: { id }, body })).is(200, { object: is('inbox_agent') })
      ;(await trial.call('GET /inboxes/:id/agent', { params: { id } })).is(200, { tone: is('concise_casual') })
    },
  },
]

export const inboxes: Group = {
  id: 'inboxes',
  title: 'Inboxes (beta)',
  cases: [
    ...resourceCases({
      ...{ id: 'inboxes', object: 'inbox', name: 'inbox', body: inboxBody, created: { object: is('inbox'), id: uuid } },
      create: 'POST /inboxes',
      get: 'GET /inboxes/:id',
      update: 'PATCH /inboxes/:id',
      remove: 'DELETE /inboxes/:id',
      shape: ({ email_address }) => ({
        ...{ ...LISTED, email_address: is(email_address), name: is('Desk'), receiving_address: nullable(string) },
        ...{ drafts: count, domain_id: nullable(uuid) },
      }),
      change: { body: { name: 'Front desk' }, shape: { name: is('Front desk') } },
    }),
    ...listCases({
      ...{ id: 'inboxes', operation: 'GET /inboxes', item: LISTED, page: 20 },
      make: async (trial) => (await trial.made('POST /inboxes', { body: await inboxBody(trial) })).id,
    }),
    ...drafts,
    ...labels,
    ...threads,
    ...agent,
    ...everyOperationCases('inboxes'),
  ],
}
