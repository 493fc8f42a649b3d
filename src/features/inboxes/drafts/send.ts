import type { Static } from 'typebox'
import { found, Problem } from '../../../kernel/http/problem.ts'
import { forwarded, withQuote } from '../../../mail/quote/quote.ts'
import { forwardHeaders, replyHeaders } from '../../../mail/quote/references.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import type { PreparedEmail } from '../../emails/actions.ts'
import { type IdempotencyKey, readKey } from '../../idempotency.ts'
import type { Services } from '../../services.ts'
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
  type DraftPlace,
  deleteFiles,
  findDraft,
  findDraftHead,
  findFiles,
  markSent,
  type StoredDraft,
} from './queries.ts'
import type { SendDraft, SentDraft } from './schema.ts'

/** Sends a draft. Of several who do at once one succeeds, and whoever changes it meanwhile is told that it is sent, or tells so. */
export async function sendDraft(
  services: Services,
  sender: Sender,
  draft: string,
  request: Static<typeof SendDraft>,
  key?: IdempotencyKey,
): Promise<Static<typeof SentDraft>> {
  const { team } = sender.actor
  const place = { team, inbox: sender.inbox.id, draft }
  const once = await readKey(team, 'POST /inboxes/drafts/send', key, { ...request, ...place })
  const { email_id } = await sendFromInbox(services, sender, once, { takesTime: true }, () =>
    prepareDraft(services, sender, place, request),
  )
  const filed = await threadOfSent(services, sender, email_id)
  const draftOf = () => findDraftHead(services.db, place).catch(() => undefined)
  const thread_id = filed ?? (await draftOf())?.thread_id ?? null
  return { object: 'inbox_draft', id: draft, thread_id, email_id }
}

async function prepareDraft(
  services: Services,
  sender: Sender,
  place: DraftPlace,
  { headers, version }: Static<typeof SendDraft>,
): Promise<Outgoing> {
  const draft = found(await findDraft(services.db, place), 'Draft')
  requireVersion(draft, version)
  const complete = requireComplete(draft)
  const original = await originalOf(services, place, draft)
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
  const whole = await withOwnFiles(services, place, composed)
  const carry = isForward ? withForwarded : withShown
  const email = original ? await carry(services, whole, original) : whole
  return { email, about: original?.id ?? null, draft: changesOf(sender, place, draft, email) }
}

/** Its files are the email's from now on. They are stored already. */
async function withOwnFiles(services: Services, place: DraftPlace, email: PreparedEmail): Promise<PreparedEmail> {
  const files = await findFiles(services.db, place.team, place.draft)
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
function changesOf(sender: Sender, place: DraftPlace, read: StoredDraft, email: PreparedEmail): DraftChanges {
  return {
    id: read.id,
    async release(trx) {
      await lockUnsent(trx, place, read.version)
      // Loose for a moment: the email takes them in the next statement.
      await deleteFiles(trx, place)
    },
    async settle(trx) {
      await markSent(trx, place, email.id)
      const sent = (await findDraftHead(trx, place))!
      if (sent.thread_id === null) return sent
      await recordDraft(trx, 'sent', place, sent, sender.source, { email_id: email.id, email: summaryOf(email) })
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
  { db }: Services,
  { team, inbox }: DraftPlace,
  { reply_to_email_id, forward_of_email_id }: StoredDraft,
): Promise<Original | null> {
  const email = reply_to_email_id ?? forward_of_email_id
  if (email === null) return null
  const original = await findOriginal(db, { team, inbox, thread: null, email })
  if (!original && forward_of_email_id !== null)
    throw new Problem('validation_error', 'The email that the draft forwards is not there any more.')
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
