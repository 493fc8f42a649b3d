import type { Static } from 'typebox'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { type IdempotencyKey, withIdempotencyKey } from '../../../kernel/idempotency/idempotency.ts'
import { forwarded, withQuote } from '../../../mail/quote/quote.ts'
import { forwardHeaders, replyHeaders } from '../../../mail/quote/references.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import type { PreparedEmail } from '../../emails/index.ts'
import { withForwarded, withShown } from '../replies/carried-files.ts'
import { findOriginal, type Original } from '../replies/original.ts'
import {
  type DraftChanges,
  headersWith,
  type Outgoing,
  prepareFrom,
  type Sender,
  sendFromInbox,
  threadOfSent,
} from '../replies/send.ts'
import { lockUnsent, requireVersion } from './actions.ts'
import { recordDraft } from './events.ts'
import {
  type DraftRef,
  deleteFiles,
  findDraft,
  findDraftHead,
  findFiles,
  markSent,
  type StoredDraft,
} from './queries.ts'
import type { SendDraft, SentDraft } from './schema.ts'
import type { InboxesDraftsServices } from './services.ts'

interface SentRequest {
  readonly draft: string
  readonly request: Static<typeof SendDraft>
  readonly key?: IdempotencyKey
  /** Set: send only if the draft is still scheduled for this time. */
  readonly sendAt?: string
}

/** Sending was undone, or the draft was sent or deleted meanwhile. */
export class NotScheduled extends Error {}

/** Sends a draft. Of several who do at once one succeeds, and whoever changes it meanwhile is told that it is sent, or tells so. */
export async function sendDraft(
  services: InboxesDraftsServices,
  sender: Sender,
  { draft, request, key, sendAt }: SentRequest,
): Promise<Static<typeof SentDraft>> {
  const { team } = sender.actor
  const ref = { team, inbox: sender.inbox.id, draft }
  const keyed = { team, endpoint: 'POST /inboxes/drafts/send', key, body: { ...request, ...ref }, takesTime: true }
  const { email_id } = await withIdempotencyKey(services, keyed, async (idempotent) => {
    const outgoing = await prepareDraft(services, sender, { ref, request, ...(sendAt && { sendAt }) })
    return sendFromInbox(services, sender, { ...outgoing, idempotent })
  })
  const filed = await threadOfSent(services, sender, email_id)
  const draftOf = () => findDraftHead(services.db, ref).catch(() => undefined)
  const thread_id = filed ?? (await draftOf())?.thread_id ?? null
  return { object: 'inbox_draft', id: draft, thread_id, email_id }
}

interface DraftToSend {
  readonly ref: DraftRef
  readonly request: Static<typeof SendDraft>
  readonly sendAt?: string
}

/** From draft to email. What cannot be sent is refused with the reason, and nothing is written yet. */
export async function prepareDraft(
  services: InboxesDraftsServices,
  sender: Sender,
  { ref, request: { headers, version }, sendAt }: DraftToSend,
): Promise<Omit<Outgoing, 'idempotent'>> {
  const draft = found(await findDraft(services.db, ref), 'Draft')
  requireVersion(draft, version)
  const complete = requireComplete(draft)
  const original = await originalOf(services, ref, draft)
  const isForward = draft.forward_of_email_id !== null
  const { html, text } = draft
  const composed = await prepareFrom(services, sender, {
    to: complete.to,
    cc: draft.cc,
    bcc: draft.bcc,
    subject: complete.subject,
    ...(original ? await inTurns((isForward ? forwarded : withQuote)({ html, text }, original)) : { html, text }),
    headers: headersWith(headers, original ? (isForward ? forwardHeaders : replyHeaders)(original) : {}),
  })
  const whole = await withOwnFiles(services, ref, composed)
  const carry = isForward ? withForwarded : withShown
  const email = original ? await carry(services, whole, original) : whole
  return { email, about: original?.id ?? null, draft: changesOf(sender, ref, { read: draft, email, sendAt }) }
}

/** Its files are the email's from now on. They are stored already. */
async function withOwnFiles(
  services: InboxesDraftsServices,
  ref: DraftRef,
  email: PreparedEmail,
): Promise<PreparedEmail> {
  const files = await findFiles(services.db, ref.team, ref.draft)
  return {
    ...email,
    attachments: files.map(({ content_type, content_id, ...file }) => ({
      ...file,
      contentType: content_type,
      contentId: content_id,
    })),
  }
}

/** In the transaction that accepts the email. The version that was read is the one that is sent. */
function changesOf(
  sender: Sender,
  ref: DraftRef,
  {
    read,
    email,
    sendAt,
  }: { readonly read: StoredDraft; readonly email: PreparedEmail; readonly sendAt: string | undefined },
): DraftChanges {
  return {
    id: read.id,
    async release(trx) {
      const locked = await lockUnsent(trx, ref, read.version)
      if (sendAt !== undefined && locked.send_at !== sendAt) throw new NotScheduled()
      // Loose for a moment: the email takes them in the next statement.
      await deleteFiles(trx, ref)
    },
    async settle(trx) {
      await markSent(trx, ref, email.id)
      const sent = (await findDraftHead(trx, ref))!
      if (sent.thread_id === null) return sent
      const more = { email_id: email.id, email: summaryOf(email) }
      await recordDraft(trx, ref, { type: 'sent', draft: sent, source: sender.source, more })
      return null
    },
  }
}

function requireComplete({ to, subject, html, text, forward_of_email_id }: StoredDraft) {
  const missing = (field: string) => new Problem('validation_error', `Missing ${field} field.`)
  if (!to || to.length === 0) throw missing('`to`')
  if (subject === null) throw missing('`subject`')
  if (!html && !text && forward_of_email_id === null) throw missing('`html` or `text`')
  return { to, subject }
}

/** What it answers may be gone meanwhile: then it is sent as what it is. What it forwards must be there. */
async function originalOf(
  { db }: InboxesDraftsServices,
  { team, inbox }: DraftRef,
  { reply_to_email_id, forward_of_email_id }: StoredDraft,
): Promise<Original | null> {
  const email = reply_to_email_id ?? forward_of_email_id
  if (email === null) return null
  const original = await findOriginal(db, { team, inbox, thread: null, email })
  if (!original && forward_of_email_id !== null)
    throw new Problem('validation_error', 'The email that the draft forwards was deleted.')
  return original ?? null
}

/** As the events of inboxes show an email. */
const summaryOf = (email: PreparedEmail) => ({
  id: email.id,
  direction: 'outbound',
  from: email.from,
  to: email.to,
  cc: email.cc ?? [],
  bcc: email.bcc ?? [],
  reply_to: [],
  subject: email.subject,
  message_id: email.messageId,
  attachments: email.attachments.map(({ id, filename, size, contentType }) => ({
    id,
    filename,
    size,
    content_type: contentType,
  })),
  read: true,
  received_at: email.createdAt.toISOString(),
})
