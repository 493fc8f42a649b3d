import { endpoint } from '../../definitions.ts'
import { notYet } from '../not-yet.ts'
import { ThreadEmailParams } from '../threads/schema.ts'
import { Forward, Replied, Reply } from './schema.ts'

export const replyEndpoints = [
  endpoint({
    id: 'inboxes.threads.emails.reply',
    route: 'POST /inboxes/:inbox/threads/:thread/emails/:email/reply',
    summary: 'Reply to an email',
    audited: false,
    maxBodyBytes: 40 * 1024 * 1024,
    params: ThreadEmailParams,
    body: Reply,
    reply: Replied,
    run: async () => notYet(),
  }),
  endpoint({
    id: 'inboxes.threads.emails.forward',
    route: 'POST /inboxes/:inbox/threads/:thread/emails/:email/forward',
    summary: 'Forward an email',
    audited: false,
    maxBodyBytes: 40 * 1024 * 1024,
    params: ThreadEmailParams,
    body: Forward,
    reply: Replied,
    run: async () => notYet(),
  }),
]
