import type { TraceContext } from '../../../platform/observability/tracing.ts'
import type { LoadedFields } from './ledger/email-fields.ts'

/** An email as the ledger and the events know it: what was accepted, with every address as it was given. */
export interface Email extends LoadedFields {
  /** The span that caused it, where its trace is sampled. */
  readonly traceContext?: TraceContext | undefined
}

/** What events tell about an email; `recipients` are the ones that this event is about. */
export function emailEventData(email: Email, recipients: readonly string[]): object {
  const data: Record<string, unknown> = {
    email_id: email.id,
    created_at: email.createdAt.toISOString(),
    from: email.from,
    to: recipients,
    subject: email.subject,
    message_id: email.messageId,
  }
  return addOwn(data, email)
}

/** The same without what the row of the email says, which is most of it: who reads the event adds that (`eventText` of `reads.ts`). */
export function briefEventData(email: Email, recipients: readonly string[]): object {
  return addOwn(recipients === email.to ? {} : { to: recipients }, email)
}

function addOwn(data: Record<string, unknown>, email: Email): object {
  if (email.broadcastId) data.broadcast_id = email.broadcastId
  if (email.templateId) data.template_id = email.templateId
  if (email.tags?.length) data.tags = Object.fromEntries(email.tags.map(({ name, value }) => [name, value]))
  if (email.headers?.length) data.headers = email.headers
  return data
}
