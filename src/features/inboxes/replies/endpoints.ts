import { endpoint } from '../../definitions.ts'
import { requireInbox, sourceOf } from '../actions.ts'
import { ThreadEmailParams } from '../threads/schema.ts'
import { forwardEmail, replyToEmail } from './actions.ts'
import { Forward, Replied, Reply } from './schema.ts'

const MAX_REPLY_BYTES = 40 * 1024 * 1024

export const replyEndpoints = [
  endpoint({
    id: 'inboxes.threads.emails.reply',
    access: 'compose',
    route: 'POST /inboxes/:inbox/threads/:thread/emails/:email/reply',
    summary: 'Reply to an email',
    description: 'To its sender, with the email quoted. A reply to an email of the inbox goes to its recipients.',
    audited: false,
    maxBodyBytes: MAX_REPLY_BYTES,
    params: ThreadEmailParams,
    headers: ['idempotency-key'],
    body: Reply,
    reply: Replied,
    async run({ params, body, headers, services, actor }) {
      const inbox = await requireInbox(services.db, actor.team, params.inbox)
      const sender = { actor, inbox, source: sourceOf(actor) }
      return replyToEmail(services, sender, { ...params, request: body, key: headers['idempotency-key'] })
    },
  }),
  endpoint({
    id: 'inboxes.threads.emails.forward',
    access: 'compose',
    route: 'POST /inboxes/:inbox/threads/:thread/emails/:email/forward',
    summary: 'Forward an email',
    description: 'With its attachments. `html` and `text` are placed above it.',
    audited: false,
    maxBodyBytes: MAX_REPLY_BYTES,
    params: ThreadEmailParams,
    headers: ['idempotency-key'],
    body: Forward,
    reply: Replied,
    async run({ params, body, headers, services, actor }) {
      const inbox = await requireInbox(services.db, actor.team, params.inbox)
      const sender = { actor, inbox, source: sourceOf(actor) }
      return forwardEmail(services, sender, { ...params, request: body, key: headers['idempotency-key'] })
    },
  }),
]
