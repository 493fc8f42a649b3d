import type { Actor } from '../../kernel/http/actor.ts'
import { type IdempotencyKey, withIdempotencyKey } from '../../kernel/idempotency/idempotency.ts'
import { type Batch, type BatchAnswer, prepareBatch } from './batch.ts'
import { prepare } from './prepare.ts'
import type { EmailRequest } from './schema.ts'
import { submitEmails } from './send.ts'
import type { SendingServices } from './services.ts'

/** Sends an email, once if the request has an idempotency key. */
export const sendEmail = (
  services: SendingServices,
  actor: Actor,
  { request, key }: { readonly request: EmailRequest; readonly key?: IdempotencyKey },
): Promise<{ id: string }> =>
  withIdempotencyKey(
    services,
    { team: actor.team, endpoint: 'POST /emails', key, body: request, takesTime: request.attachments !== undefined },
    async (idempotent) => {
      const email = await prepare(services, actor, request)
      // Awaited here: a promise that an async function returns takes two more turns of the queue.
      return await submitEmails(services, { emails: [email], answer: { id: email.id }, idempotent })
    },
  )

/** Sends many. Strict: one mistake refuses all. Permissive: the others are sent, and each mistake is told with its place. */
export const sendBatch = (
  services: SendingServices,
  actor: Actor,
  { requests, mode, key }: Batch & { readonly key?: IdempotencyKey },
): Promise<BatchAnswer> =>
  withIdempotencyKey(
    services,
    { team: actor.team, endpoint: 'POST /emails/batch', key, body: requests },
    async (idempotent) => {
      const { emails, answer } = await prepareBatch(services, actor, { requests, mode })
      return submitEmails(services, { emails, answer, idempotent })
    },
  )
