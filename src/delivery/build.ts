import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseMailbox } from '../mail/address.ts'
import { type DkimSigner, signDkim } from '../mail/dkim.ts'
import { textOf } from '../mail/html-text.ts'
import type { Mailbox, Message } from '../mail/message.ts'
import { buildMime } from '../mail/mime.ts'
import { personalise } from '../mail/personal.ts'
import { type Tracker, trackSteps } from '../mail/tracked-html.ts'
import { unsubscribeHeaders } from '../mail/unsubscribe.ts'
import type { Clock } from '../platform/clock.ts'
import { Semaphore } from '../platform/semaphore.ts'
import type { LoadedEmail } from './queries.ts'

/** What a message is made of besides its email. */
export interface Workshop {
  readonly clock: Clock
  /** The content of an attachment. */
  contentOf(blob: string): Promise<Buffer | null>
  /** Where a recipient ends mail like this one with one click. */
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
  const sign = () => signDkim(mime, signers, { date: workshop.clock.now() })
  const signature = await signing.run(1, sign, { isPatient: email.broadcast !== null })
  return Buffer.concat([signature, mime])
}

/** Mail that one can unsubscribe from carries its own way out, tracked mail links that say whose they are. */
export const isPersonal = (email: LoadedEmail, recipient: string, { trackerFor }: Signature) =>
  hasWayOut(email) || (Boolean(email.html) && trackerFor(email, recipient) !== null)

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
  const wayOut = hasWayOut(email) ? workshop.unsubscribeUrl(email, recipient) : null
  const unsubscribing = Object.entries(wayOut ? unsubscribeHeaders(wayOut) : {})
  return {
    from: mailbox(email.from),
    to: email.to.map(mailbox),
    cc: (email.cc ?? []).map(mailbox),
    replyTo: (email.replyTo ?? []).map(mailbox),
    subject: email.subject,
    ...(await bodyOf(email, wayOut, tracker)),
    headers: [...(email.headers ?? []), ...unsubscribing.map(([name, value]) => ({ name, value }))],
    attachments,
  }
}

/** Mail about a topic, and all that goes to many. */
const hasWayOut = ({ topicId, broadcast }: LoadedEmail) => topicId !== null || broadcast !== null

/** What is stored stays as it was given: links are replaced in what leaves. */
async function bodyOf(email: LoadedEmail, wayOut: URL | null, tracker: Tracker | null) {
  const { html, text } = wordsOf(email, wayOut)
  return { html: html && tracker ? await inSteps(trackSteps(html, tracker)) : html, text }
}

/** Others get their turn between two steps; most mail is done after the first. */
async function inSteps<Result>(steps: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await nextTurn()
  }
}

function wordsOf({ html, text, broadcast, variables }: LoadedEmail, wayOut: URL | null) {
  if (broadcast) return personalise(broadcast.letter, variables ?? {}, wayOut!.href)
  // Left out: made from the html. Given as nothing: not wanted.
  return { html, text: (text ?? (html === null ? '' : textOf(html))) || null }
}

/** Checked when the email was accepted. */
const mailbox = (text: string): Mailbox => parseMailbox(text)!
