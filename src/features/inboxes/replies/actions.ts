import type { Static } from 'typebox'
import { Problem } from '../../../kernel/http/problem.ts'
import { type IdempotencyKey, withIdempotencyKey } from '../../../kernel/idempotency/idempotency.ts'
import { forwardSubject, replySubject } from '../../../mail/answer.ts'
import { forwarded, withQuote } from '../../../mail/quote/quote.ts'
import { forwardHeaders, replyHeaders } from '../../../mail/quote/references.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import { listOf, refuseTooMany } from '../recipients.ts'
import { addedTo, nobodyToAnswer, repliesTo } from './answering.ts'
import { withForwarded, withShown } from './carried-files.ts'
import { refuseWrongFiles } from './files.ts'
import { requireOriginal } from './original.ts'
import type { Forward, Replied, Reply } from './schema.ts'
import { headersWith, prepareFrom, type Sender, type SentEmail, sendFromInbox, threadOfSent } from './send.ts'
import type { InboxesRepliesServices } from './services.ts'

/** A request about an email in a thread, which is answered or forwarded. */
interface AboutEmail<Request> {
  readonly thread: string
  readonly email: string
  readonly request: Request
  readonly key?: IdempotencyKey
}

export async function replyToEmail(
  services: InboxesRepliesServices,
  sender: Sender,
  { thread, email: id, request, key }: AboutEmail<Static<typeof Reply>>,
): Promise<Static<typeof Replied>> {
  const { actor, inbox } = sender
  const body = { ...request, inbox: inbox.id, thread, email: id }
  const takesTime = request.attachments !== undefined
  const keyed = { team: actor.team, endpoint: 'POST /inboxes/reply', key, body, takesTime }
  const sent = await withIdempotencyKey(services, keyed, async (idempotent) => {
    const original = await requireOriginal(services, actor, { inbox: inbox.id, thread, email: id })
    const { html = null, text = null, attachments } = request
    if (!html && !text) throw new Problem('validation_error', 'Missing `html` or `text` field.')
    const { to, cc: others } = repliesTo(inbox, original, request.reply_all ?? false)
    if (to.length === 0) throw nobodyToAnswer()
    const cc = addedTo(others, listOf(request.cc))
    const bcc = listOf(request.bcc)
    refuseTooMany([...to, ...cc, ...bcc])
    const email = await prepareFrom(services, sender, {
      to: [...to],
      cc,
      bcc,
      subject: request.subject ?? replySubject(original.subject),
      ...(await inTurns(withQuote({ html, text }, original))),
      headers: headersWith(request.headers, replyHeaders(original)),
      ...(attachments && { attachments }),
    })
    refuseWrongFiles(email.attachments)
    const complete = await withShown(services, email, original)
    return sendFromInbox(services, sender, { email: complete, about: id, idempotent })
  })
  return answered(services, sender, { thread, sent })
}

/** With all of its files, and a note above it if there is one. */
export async function forwardEmail(
  services: InboxesRepliesServices,
  sender: Sender,
  { thread, email: id, request, key }: AboutEmail<Static<typeof Forward>>,
): Promise<Static<typeof Replied>> {
  const { actor, inbox } = sender
  const body = { ...request, inbox: inbox.id, thread, email: id }
  const keyed = { team: actor.team, endpoint: 'POST /inboxes/forward', key, body, takesTime: true }
  const sent = await withIdempotencyKey(services, keyed, async (idempotent) => {
    const original = await requireOriginal(services, actor, { inbox: inbox.id, thread, email: id })
    const { html = null, text = null, attachments } = request
    const [to, cc, bcc] = [listOf(request.to), listOf(request.cc), listOf(request.bcc)]
    refuseTooMany([...to, ...cc, ...bcc])
    const email = await prepareFrom(services, sender, {
      to: [...to],
      cc,
      bcc,
      subject: request.subject ?? forwardSubject(original.subject),
      ...(await inTurns(forwarded({ html, text }, original))),
      headers: headersWith(request.headers, forwardHeaders(original)),
      ...(attachments && { attachments }),
    })
    refuseWrongFiles(email.attachments)
    const complete = await withForwarded(services, email, original)
    return sendFromInbox(services, sender, { email: complete, about: id, idempotent })
  })
  return answered(services, sender, { thread, sent })
}

const answered = async (
  services: InboxesRepliesServices,
  sender: Sender,
  { thread, sent: { email_id } }: { readonly thread: string; readonly sent: SentEmail },
) => ({
  id: email_id,
  email_id,
  thread_id: (await threadOfSent(services, sender, email_id)) ?? thread,
  direction: 'outbound' as const,
})
