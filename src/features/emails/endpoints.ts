import { inPieces } from '../../kernel/http/long-answer.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { IdParams, reference } from '../../kernel/http/shapes.ts'
import { endpoint, list, referenceAfter } from '../definitions.ts'
import { sendBatch, sendEmail } from './actions.ts'
import { MAX_ATTACHMENT_BYTES } from './attachments.ts'
import { findEmails } from './combined-filter.ts'
import { readEmail } from './read.ts'
import { cancelEmail, rescheduleEmail } from './reschedule.ts'
import {
  Email,
  EmailFilter,
  EmailItem,
  EmailReference,
  Reschedule,
  SendBatch,
  SendEmail,
  SendEmails,
  SentBatch,
  SentEmail,
} from './schema.ts'

/** Some clients send each byte of an attachment as a number in JSON, which takes up to five characters. */
export const MAX_EMAIL_BYTES = 4 * MAX_ATTACHMENT_BYTES

/** A batch has no attachments: a hundred emails of 200 kB. */
const MAX_BATCH_BYTES = 20 * 1024 * 1024

export const emailEndpoints = [
  endpoint({
    id: 'emails.send',
    access: 'send',
    audited: false,
    route: 'POST /emails',
    alias: '/email',
    summary: 'Send an email',
    maxBodyBytes: MAX_EMAIL_BYTES,
    headers: ['idempotency-key'],
    body: SendEmail,
    reply: SentEmail,
    run: ({ body, headers, services, actor }) =>
      sendEmail(services, actor, { request: body, key: headers['idempotency-key'] }),
  }),
  endpoint({
    id: 'emails.batch',
    access: 'send',
    audited: false,
    route: 'POST /emails/batch',
    summary: 'Send up to 100 emails in a batch',
    maxBodyBytes: MAX_BATCH_BYTES,
    headers: ['idempotency-key', 'x-batch-validation'],
    body: SendBatch,
    describedAs: SendEmails,
    reply: SentBatch,
    async run({ body, headers, services, actor }) {
      const mode = headers['x-batch-validation'] ?? 'strict'
      if (mode !== 'strict' && mode !== 'permissive')
        throw new Problem('validation_error', 'The `x-batch-validation` header must be `strict` or `permissive`.')
      return sendBatch(services, actor, { requests: body, mode, key: headers['idempotency-key'] })
    },
  }),
  list({
    id: 'emails.list',
    route: 'GET /emails',
    summary: 'List sent emails',
    query: EmailFilter,
    item: EmailItem,
    unlimited: 20,
    rows: ({ query, window, services, actor }) => findEmails(services.db, actor.team, query, window),
  }),
  endpoint({
    id: 'emails.get',
    access: 'content',
    route: 'GET /emails/:id',
    summary: 'Retrieve an email',
    params: IdParams,
    reply: Email,
    run: async ({ params, services, actor }) =>
      inPieces(found(await readEmail(services, actor.team, params.id), 'Email')),
  }),
  endpoint({
    id: 'emails.update',
    route: 'PATCH /emails/:id',
    summary: 'Reschedule an email',
    params: IdParams,
    body: Reschedule,
    reply: EmailReference,
    async run({ params, body, services, actor }) {
      await rescheduleEmail(services, actor, params.id, body.scheduled_at)
      return reference('email', params.id)
    },
  }),
  endpoint({
    id: 'emails.cancel',
    route: 'POST /emails/:id/cancel',
    summary: 'Cancel a scheduled email',
    params: IdParams,
    reply: EmailReference,
    run: referenceAfter('email', cancelEmail),
  }),
]
