import { availableParallelism } from 'node:os'
import { parseMailbox } from '../mail/address.ts'
import { type DkimSigner, signDkim } from '../mail/dkim.ts'
import { textOf } from '../mail/html-text.ts'
import type { Mailbox, Message } from '../mail/message.ts'
import { buildMime } from '../mail/mime.ts'
import { type Tracker, trackHtml } from '../mail/tracked-html.ts'
import { unsubscribeHeaders } from '../mail/unsubscribe.ts'
import type { Clock } from '../platform/clock.ts'
import { Semaphore } from '../platform/semaphore.ts'
import type { LoadedEmail } from './queries.ts'

/** What a message is made of besides its email. */
export interface Workshop {
  readonly clock: Clock
  /** The content of an attachment. */
  contentOf(blob: string): Promise<Buffer | null>
  /** Where a recipient ends mail about the email's topic with one click. */
  unsubscribeUrl(email: LoadedEmail, recipient: string): URL
}

/** In whose name a message goes out, as far as its bytes show it. */
export interface Signature {
  readonly signers: readonly DkimSigner[]
  /** What the domain learns of a recipient through the html; null: nothing. */
  trackerFor(email: LoadedEmail, recipient: string): Tracker | null
}

// RSA signatures run in the thread pool, 3.5 ms each. One more than there are cores, so that none rests while this thread is busy;
// and one of the pool's four threads stays free for files and DNS.
const signing = new Semaphore(Math.min(availableParallelism() + 1, 3))

/**
 * The signed bytes of an email. The same email always gives the same message under the same Message-ID and date, so a second
 * attempt is the same mail. For some mail each recipient's differs: see `isPersonal`.
 */
export async function buildMessage(
  email: LoadedEmail,
  recipient: string,
  { signers, trackerFor }: Signature,
  workshop: Workshop,
): Promise<Buffer> {
  const message = await assemble(email, recipient, trackerFor(email, recipient), workshop)
  const mime = buildMime(message, { messageId: email.messageId, date: email.sentAt, seed: email.id })
  if (signers.length === 0) return mime
  const signature = await signing.run(1, () => signDkim(mime, signers, { date: workshop.clock.now() }))
  return Buffer.concat([signature, mime])
}

/** Mail about a topic carries its own way out, tracked mail links that say whose they are. */
export const isPersonal = (email: LoadedEmail, recipient: string, { trackerFor }: Signature) =>
  email.topicId !== null || (Boolean(email.html) && trackerFor(email, recipient) !== null)

async function assemble(
  email: LoadedEmail,
  recipient: string,
  tracker: Tracker | null,
  workshop: Workshop,
): Promise<Message> {
  const attachments = await Promise.all(
    email.attachments.map(async ({ blob, ...attachment }) => {
      const content = await workshop.contentOf(blob)
      if (!content) throw new Error(`The content of an attachment is missing from the blob store: ${blob}`)
      return { ...attachment, content }
    }),
  )
  const wayOut: Record<string, string> = email.topicId
    ? unsubscribeHeaders(workshop.unsubscribeUrl(email, recipient))
    : {}
  return {
    from: mailbox(email.from),
    to: email.to.map(mailbox),
    cc: (email.cc ?? []).map(mailbox),
    replyTo: (email.replyTo ?? []).map(mailbox),
    subject: email.subject,
    // What is stored stays as it was given: links are replaced in what leaves.
    html: email.html && tracker ? trackHtml(email.html, tracker) : email.html,
    // Left out: made from the html. Given as nothing: not wanted.
    text: (email.text ?? (email.html === null ? '' : textOf(email.html))) || null,
    headers: [...(email.headers ?? []), ...Object.entries(wayOut).map(([name, value]) => ({ name, value }))],
    attachments,
  }
}

/** Checked when the email was accepted. */
const mailbox = (text: string): Mailbox => parseMailbox(text)!
