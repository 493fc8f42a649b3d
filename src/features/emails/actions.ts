import type { Actor } from '../../kernel/http/actor.ts'
import { type IdempotencyKey, readKey } from '../idempotency.ts'
import type { Services } from '../services.ts'
import { type BatchAnswer, prepareBatch } from './batch.ts'
import { prepare } from './prepare.ts'
import type { EmailRequest } from './schema.ts'
import { sendOnce } from './send.ts'

export { blobOf, MAX_ATTACHMENT_BYTES, type ReadyAttachment, readAttachments, refuseExtension } from './attachments.ts'
export { type PreparedAttachment, type PreparedEmail, prepare, prepareAtOnce, requireSender } from './prepare.ts'
export { findSentShown, readEmail } from './read.ts'
export { readSchedule } from './schedule.ts'
export { type Prepared, sendOnce } from './send.ts'
export { asWritten, beginningOf, SHOWN_SUBMITTED_BYTES } from './source-parts.ts'
export { withStored } from './stored-contents.ts'

export async function sendEmail(
  services: Services,
  actor: Actor,
  request: EmailRequest,
  key?: IdempotencyKey,
): Promise<{ id: string }> {
  const once = await readKey(actor.team, 'POST /emails', key, request)
  return sendOnce(services, once, { takesTime: request.attachments !== undefined }, async () => {
    const email = await prepare(services, actor, request)
    return { emails: [email], answer: { id: email.id } }
  })
}

export async function sendBatch(
  services: Services,
  actor: Actor,
  { requests, mode }: { requests: readonly unknown[]; mode: 'strict' | 'permissive' },
  key?: IdempotencyKey,
): Promise<BatchAnswer> {
  const once = await readKey(actor.team, 'POST /emails/batch', key, requests)
  return sendOnce(services, once, { takesTime: false }, () => prepareBatch(services, actor, requests, mode))
}
