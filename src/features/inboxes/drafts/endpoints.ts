import { AlreadyThere } from '../../../kernel/http/endpoint.ts'
import { inPieces } from '../../../kernel/http/long-answer.ts'
import { found } from '../../../kernel/http/problem.ts'
import { deletion } from '../../../kernel/http/shapes.ts'
import { endpoint, list } from '../../definitions.ts'
import { requireInbox, sourceOf } from '../actions.ts'
import { InboxParams } from '../schema.ts'
import { changeDraft, createDraft, removeDraft, type WrittenDraft } from './actions.ts'
import { draftRows, findDraft } from './queries.ts'
import { scheduleDraft, unscheduleDraft } from './schedule.ts'
import {
  CreateDraft,
  DeletedDraft,
  Draft,
  DraftFilter,
  DraftItem,
  DraftParams,
  DraftReference,
  ScheduleDraft,
  ScheduledDraft,
  SendDraft,
  SentDraft,
  UNDO_SECONDS,
  UpdateDraft,
} from './schema.ts'
import { sendDraft } from './send.ts'

const MAX_DRAFT_BYTES = 40 * 1024 * 1024

const referenceTo = ({ id, version }: Pick<WrittenDraft, 'id' | 'version'>) => ({
  object: 'inbox_draft' as const,
  id,
  version,
})

export const draftEndpoints = [
  list({
    id: 'inboxes.drafts.list',
    route: 'GET /inboxes/:inbox/drafts',
    summary: 'List drafts',
    description: 'Unsent drafts, newest first.',
    access: 'content',
    params: InboxParams,
    query: DraftFilter,
    item: DraftItem,
    unlimited: 20,
    async rows({ params, query, services: { db }, actor: { team } }) {
      const inbox = await requireInbox(db, team, params.inbox)
      return draftRows(team, inbox.id, query.thread_id ?? null)
    },
  }),
  endpoint({
    id: 'inboxes.drafts.create',
    access: 'compose',
    route: 'POST /inboxes/:inbox/drafts',
    summary: 'Create a draft',
    description: 'If the reply already has a draft, that draft is returned with status 200.',
    status: 201,
    mayExist: true,
    audited: false,
    maxBodyBytes: MAX_DRAFT_BYTES,
    params: InboxParams,
    headers: ['idempotency-key'],
    body: CreateDraft,
    reply: DraftReference,
    async run({ params, body, headers, services, actor }) {
      const inbox = await requireInbox(services.db, actor.team, params.inbox)
      const sender = { actor, inbox, source: sourceOf(actor) }
      const draft = await createDraft(services, sender, { request: body, key: headers['idempotency-key'] })
      return draft.isNew ? referenceTo(draft) : new AlreadyThere(referenceTo(draft))
    },
  }),
  endpoint({
    id: 'inboxes.drafts.get',
    route: 'GET /inboxes/:inbox/drafts/:draft',
    summary: 'Retrieve a draft',
    access: 'content',
    params: DraftParams,
    reply: Draft,
    async run({ params, services: { db }, actor: { team } }) {
      const inbox = await requireInbox(db, team, params.inbox)
      return inPieces(found(await findDraft(db, { team, inbox: inbox.id, draft: params.draft }), 'Draft'))
    },
  }),
  endpoint({
    id: 'inboxes.drafts.update',
    access: 'compose',
    route: 'PATCH /inboxes/:inbox/drafts/:draft',
    summary: 'Update a draft',
    description: 'Replaces the given fields; `attachments` replaces all attachments. Each update raises the version.',
    audited: false,
    maxBodyBytes: MAX_DRAFT_BYTES,
    params: DraftParams,
    body: UpdateDraft,
    reply: DraftReference,
    async run({ params, body, services, actor }) {
      const { id: inbox } = await requireInbox(services.db, actor.team, params.inbox)
      const ref = { team: actor.team, inbox, draft: params.draft }
      return referenceTo(await changeDraft(services, ref, { request: body, source: sourceOf(actor) }))
    },
  }),
  endpoint({
    id: 'inboxes.drafts.remove',
    route: 'DELETE /inboxes/:inbox/drafts/:draft',
    summary: 'Delete a draft',
    audited: false,
    params: DraftParams,
    reply: DeletedDraft,
    async run({ params, services, actor }) {
      const { id: inbox } = await requireInbox(services.db, actor.team, params.inbox)
      await removeDraft(services, { team: actor.team, inbox, draft: params.draft }, sourceOf(actor))
      return deletion('inbox_draft', params.draft)
    },
  }),
  endpoint({
    id: 'inboxes.drafts.send',
    access: 'compose',
    route: 'POST /inboxes/:inbox/drafts/:draft/send',
    summary: 'Send a draft',
    description: 'A reply quotes the email it answers; a forward includes the email with its attachments.',
    audited: false,
    params: DraftParams,
    headers: ['idempotency-key'],
    body: SendDraft,
    reply: SentDraft,
    async run({ params, body, headers, services, actor }) {
      const inbox = await requireInbox(services.db, actor.team, params.inbox)
      const sender = { actor, inbox, source: sourceOf(actor) }
      return sendDraft(services, sender, { draft: params.draft, request: body, key: headers['idempotency-key'] })
    },
  }),
  endpoint({
    id: 'inboxes.drafts.schedule',
    access: 'compose',
    route: 'POST /inboxes/:inbox/drafts/:draft/schedule',
    summary: 'Send a draft with time to undo',
    description: `Sends the draft after \`delay_seconds\` (${UNDO_SECONDS} unless given). Until then it cannot be changed, and sending can be undone. If it cannot be sent then, it becomes a draft again, with \`send_error\`.`,
    audited: false,
    params: DraftParams,
    body: ScheduleDraft,
    reply: ScheduledDraft,
    async run({ params, body, services, actor }) {
      const inbox = await requireInbox(services.db, actor.team, params.inbox)
      const sender = { actor, inbox, source: sourceOf(actor) }
      const { id, thread_id, send_at } = await scheduleDraft(services, sender, { draft: params.draft, request: body })
      return { object: 'inbox_draft' as const, id, thread_id, send_at: send_at! }
    },
  }),
  endpoint({
    id: 'inboxes.drafts.unschedule',
    access: 'compose',
    route: 'DELETE /inboxes/:inbox/drafts/:draft/schedule',
    summary: 'Undo sending a draft',
    description: 'The draft is as it was. Returns 409 once the email is sent.',
    audited: false,
    params: DraftParams,
    reply: DraftReference,
    async run({ params, services, actor }) {
      const { id: inbox } = await requireInbox(services.db, actor.team, params.inbox)
      const ref = { team: actor.team, inbox, draft: params.draft }
      const { id, version } = await unscheduleDraft(services, ref, sourceOf(actor))
      return referenceTo({ id, version })
    },
  }),
]
