import Type from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { inPieces } from '../../http/long-answer.ts'
import { found, Problem } from '../../http/problem.ts'
import { IdParams, reference } from '../../http/shapes.ts'
import { MAX_ATTACHMENT_BYTES } from './attachments.ts'
import { prepareBatch } from './batch.ts'
import { filteredEmails } from './filter.ts'
import { readKey } from './idempotency.ts'
import './mail-room.ts'
import { prepare } from './prepare.ts'
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
  SentBatch,
  SentEmail,
} from './schema.ts'
import { sendOnce } from './send.ts'

/** Some clients send each byte of an attachment as a number in JSON, which takes up to five characters. */
const MAX_EMAIL_BYTES = 4 * MAX_ATTACHMENT_BYTES

/** A batch has no attachments: a hundred emails of 200 kB. */
const MAX_BATCH_BYTES = 20 * 1024 * 1024

export const emailEndpoints = [
  endpoint({
    id: 'emails.send',
    route: 'POST /emails',
    alias: '/email',
    summary: 'Send an email',
    access: 'sending_access',
    maxBodyBytes: MAX_EMAIL_BYTES,
    body: SendEmail,
    reply: SentEmail,
    async run({ body, raw, context }) {
      const once = await readKey(context.team, 'POST /emails', raw.headers['idempotency-key'], body)
      return sendOnce(context, once, { takesTime: body.attachments !== undefined }, async () => {
        const email = await prepare(context, body)
        return { emails: [email], answer: { id: email.id } }
      })
    },
  }),
  endpoint({
    id: 'emails.batch',
    route: 'POST /emails/batch',
    summary: 'Send up to 100 emails',
    access: 'sending_access',
    maxBodyBytes: MAX_BATCH_BYTES,
    body: SendBatch,
    loggedAs: Type.Array(SendEmail),
    reply: SentBatch,
    async run({ body, raw, context }) {
      const mode = raw.headers['x-batch-validation'] ?? 'strict'
      if (mode !== 'strict' && mode !== 'permissive')
        throw new Problem('validation_error', 'The `x-batch-validation` header must be `strict` or `permissive`.')
      const once = await readKey(context.team, 'POST /emails/batch', raw.headers['idempotency-key'], body)
      return sendOnce(context, once, { takesTime: false }, () => prepareBatch(context, body, mode))
    },
  }),
  list({
    id: 'emails.list',
    route: 'GET /emails',
    summary: 'List sent emails',
    query: EmailFilter,
    item: EmailItem,
    unlimited: 20,
    rows: ({ query, context }) => filteredEmails(context.team, query),
  }),
  endpoint({
    id: 'emails.get',
    route: 'GET /emails/:id',
    summary: 'Retrieve an email with its recipients and events',
    params: IdParams,
    reply: Email,
    run: async ({ params, context }) => inPieces(found(await readEmail(context, context.team, params.id), 'Email')),
  }),
  endpoint({
    id: 'emails.update',
    route: 'PATCH /emails/:id',
    summary: 'Reschedule an email',
    params: IdParams,
    body: Reschedule,
    reply: EmailReference,
    async run({ params, body, context }) {
      await rescheduleEmail(context, params.id, body.scheduled_at)
      return reference('email', params.id)
    },
  }),
  endpoint({
    id: 'emails.cancel',
    route: 'POST /emails/:id/cancel',
    summary: 'Cancel a scheduled email',
    params: IdParams,
    reply: EmailReference,
    async run({ params, context }) {
      await cancelEmail(context, params.id)
      return reference('email', params.id)
    },
  }),
]
