/** An email as the ledger and the events know it: what was accepted, with every address as it was given. */
export interface Email {
  readonly id: string
  readonly team: string
  readonly messageId: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly bcc: readonly string[] | null
  readonly replyTo: readonly string[] | null
  readonly subject: string
  readonly headers: readonly { name: string; value: string }[] | null
  readonly tags: readonly { name: string; value: string }[] | null
  readonly topicId: string | null
  readonly templateId: string | null
  readonly domainId: string | null
  readonly createdAt: Date
  /** Set: it is one recipient email of a broadcast. */
  readonly broadcastId?: string | null
}

/** What events tell about an email; `recipients` are the ones that this event is about. */
export function emailEventData(email: Email, recipients: readonly string[]): object {
  return {
    email_id: email.id,
    created_at: email.createdAt.toISOString(),
    from: email.from,
    to: recipients,
    subject: email.subject,
    message_id: email.messageId,
    ...(email.broadcastId && { broadcast_id: email.broadcastId }),
    ...(email.templateId && { template_id: email.templateId }),
    ...(email.tags?.length && { tags: Object.fromEntries(email.tags.map(({ name, value }) => [name, value])) }),
    ...(email.headers?.length && { headers: email.headers }),
  }
}
