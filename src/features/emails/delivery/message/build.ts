import { availableParallelism } from 'node:os'
import { domainOf, parseMailbox } from '../../../../mail/address.ts'
import type { PreparedContent } from '../../../../mail/broadcast.ts'
import { type DkimSigner, signDkim, signHeaders, signsInThreadPool } from '../../../../mail/dkim.ts'
import { feedbackHeaders } from '../../../../mail/feedback-headers.ts'
import { textOf } from '../../../../mail/html-text.ts'
import type { Mailbox, Message } from '../../../../mail/message.ts'
import { mimeSteps } from '../../../../mail/mime.ts'
import { personalise } from '../../../../mail/personal.ts'
import {
  type SplicedContent,
  type SplicedMessage,
  spliceContent,
  spliceMessage,
} from '../../../../mail/spliced-message.ts'
import { atOnce, type Steps } from '../../../../mail/steps.ts'
import { type Tracker, trackHtml } from '../../../../mail/tracked-html.ts'
import { unsubscribeHeaders } from '../../../../mail/unsubscribe.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { inTurns } from '../../../../platform/concurrency/in-turns.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { Semaphore } from '../../../../platform/concurrency/semaphore.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import { buildSubmitted } from './build-submitted.ts'
import type { Content } from './contents.ts'
import { isLarge } from './weight.ts'

/** What a message is made of besides its email. */
export interface BuildParts {
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

export interface Build {
  readonly content: Content
  readonly recipient: string
  readonly signature: Signature
  /** Where complaints of this recipient go to; left out by those who only show the message. */
  readonly complaintAddress?: string
  /** True: for a server that takes no other bytes. */
  readonly isSevenBit?: boolean
}

// RSA signatures run in the thread pool, 3.5 ms each. One more than there are cores, so that none rests while this thread is busy;
// and one of the pool's four threads stays free for files and DNS.
const signing = new Semaphore(Math.min(availableParallelism() + 1, 3))

type Runner = <Result>(steps: Steps<Result>) => MaybePromise<Result>

/**
 * The signed bytes of an email. The same email always gives the same message under the same Message-ID and date, so a second
 * attempt is the same mail. Each recipient has their own: its header says where complaints about it go to.
 */
export async function buildMessage(
  email: LoadedEmail,
  { content, recipient, signature: { signers, trackerFor }, complaintAddress, isSevenBit = false }: Build,
  parts: BuildParts,
): Promise<Buffer> {
  const run = isLarge(email) ? inTurns : atOnce
  const tracker = trackerFor(email, recipient)
  const unsubscribeUrl = canUnsubscribe(email) ? parts.unsubscribeUrl(email, recipient) : null
  const added = unsubscribeUrl ? headersOf(unsubscribeUrl) : NO_HEADERS
  // What nobody signs is believed by nobody, and may go out with a domain whose mail does not come to us.
  const defaults = complaintAddress && signers.length > 0 ? feedbackHeadersOf(email, complaintAddress) : NO_HEADERS
  const { submitted } = content
  const sign = (work: () => MaybePromise<Buffer>) =>
    signsInThreadPool(signers)
      ? signing.run(1, async () => work(), { isLowPriority: email.broadcast !== null })
      : work()
  const ingredients = { tracker, unsubscribeUrl, added, defaults, parts, run }
  const copy = content.broadcastContent ? await spliceCopy(email, content, ingredients) : null
  if (copy) {
    if (signers.length === 0) return concatenated([copy.head, ...copy.body])
    // Without the empty line behind it.
    const signed = { block: copy.head.subarray(0, -4), hash: copy.bodyHash }
    const signature = await sign(() => signHeaders(signed, signers, parts.clock.now()))
    return concatenated([signature, copy.head, ...copy.body])
  }
  const mime = submitted
    ? await buildSubmitted(email, { submitted, added, defaults, tracker, isSevenBit, contentOf: parts.contentOf, run })
    : await compose(email, content, ingredients)
  if (signers.length === 0) return mime
  const signature = await sign(() => signDkim(mime, signers, { date: parts.clock.now(), run }))
  return Buffer.concat([signature, mime])
}

const NO_HEADERS: Message['headers'] = []

const headersOf = (unsubscribeUrl: URL): Message['headers'] =>
  Object.entries(unsubscribeHeaders(unsubscribeUrl)).map(([name, value]) => ({ name, value }))

const feedbackHeadersOf = (
  { team, from, broadcastId, templateId, topicId }: LoadedEmail,
  complaintAddress: string,
): Message['headers'] =>
  feedbackHeaders({
    campaign: broadcastId ?? templateId,
    team,
    kind: broadcastId ? 'broadcast' : topicId ? 'topic' : 'email',
    domain: domainOf(mailbox(from).address),
    complaintAddress,
  })

/** What copies of a broadcast share is kept as long as the content itself is. */
const splicedContents = new WeakMap<PreparedContent, SplicedContent | null>()

/** A copy of a broadcast, made from what all copies share. Null: it is none, or has to be made from nothing. */
async function spliceCopy(
  email: LoadedEmail,
  content: Content,
  ingredients: Ingredients,
): Promise<SplicedMessage | null> {
  const { broadcastContent, variables } = content
  const { unsubscribeUrl, tracker, run } = ingredients
  if (!broadcastContent || !unsubscribeUrl || isLarge(email) || content.attachments.length > 0) return null
  if (!splicedContents.has(broadcastContent)) splicedContents.set(broadcastContent, spliceContent(broadcastContent))
  const spliced = splicedContents.get(broadcastContent)
  if (!spliced) return null
  const trackedHtml = tracker && spliced.html ? (await bodyOf(content, unsubscribeUrl, { tracker, run })).html : null
  const personal = { variables: variables ?? {}, unsubscribeUrl: unsubscribeUrl.href, trackedHtml }
  const message = { ...envelopeOf(email, content, ingredients), html: null, text: null, attachments: [] }
  return spliceMessage({ message, stamp: stampOf(email) }, spliced, personal)
}

/** Written into one buffer, once. */
function concatenated(chunks: readonly (string | Buffer)[]): Buffer {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const message = Buffer.allocUnsafe(length)
  let at = 0
  // The body is ASCII, each character a byte.
  for (const chunk of chunks)
    at += typeof chunk === 'string' ? message.write(chunk, at, 'latin1') : chunk.copy(message, at)
  return message
}

export const isTracked = (email: LoadedEmail, recipient: string, { trackerFor }: Signature) =>
  (email.sizes.html > 0 || email.broadcast !== null) && trackerFor(email, recipient) !== null

interface Ingredients {
  readonly tracker: Tracker | null
  readonly unsubscribeUrl: URL | null
  readonly added: Message['headers']
  /** Left out where the email has headers of its own with these names. */
  readonly defaults: Message['headers']
  readonly parts: BuildParts
  readonly run: Runner
}

/** Waits for nothing but the content of attachments, and for what is large. */
async function compose(email: LoadedEmail, content: Content, ingredients: Ingredients): Promise<Buffer> {
  return ingredients.run(mimeSteps(await partsOf(email, content, ingredients), stampOf(email)))
}

/** What a message says, for who makes something else of it than its bytes. Nothing is signed. */
export async function buildParts(
  email: LoadedEmail,
  { content, recipient, signature: { trackerFor } }: Build,
  parts: BuildParts,
): Promise<Message> {
  const unsubscribeUrl = canUnsubscribe(email) ? parts.unsubscribeUrl(email, recipient) : null
  const added = unsubscribeUrl ? headersOf(unsubscribeUrl) : NO_HEADERS
  const run = isLarge(email) ? inTurns : atOnce
  const tracker = trackerFor(email, recipient)
  return partsOf(email, content, { tracker, unsubscribeUrl, added, defaults: NO_HEADERS, parts, run })
}

async function partsOf(email: LoadedEmail, content: Content, ingredients: Ingredients): Promise<Message> {
  const { tracker, unsubscribeUrl, parts, run } = ingredients
  const attachments = content.attachments.length > 0 ? await loadAttachments(content, parts) : []
  const body = tracker ? await bodyOf(content, unsubscribeUrl, { tracker, run }) : wordsOf(content, unsubscribeUrl)
  return { ...envelopeOf(email, content, ingredients), ...body, attachments }
}

const stampOf = ({ messageId, sentAt, id }: LoadedEmail) => ({ messageId, date: sentAt, seed: id })

const loadAttachments = ({ attachments }: Content, { contentOf }: BuildParts): Promise<Message['attachments']> =>
  Promise.all(
    attachments.map(async ({ blob, ...attachment }) => {
      const bytes = await contentOf(blob)
      if (!bytes) throw new Error(`The content of an attachment is missing from the blob store: ${blob}`)
      return { ...attachment, content: bytes }
    }),
  )

const envelopeOf = (email: LoadedEmail, content: Content, { added, defaults }: Ingredients) => ({
  from: mailbox(email.from),
  to: email.to.map(mailbox),
  cc: (email.cc ?? []).map(mailbox),
  replyTo: (email.replyTo ?? []).map(mailbox),
  subject: email.subject,
  headers: [...(content.headers ?? []), ...added, ...defaults.filter(({ name }) => !hasHeader(content, name))],
})

const hasHeader = ({ headers }: Content, wanted: string) =>
  headers?.some(({ name }) => name.toLowerCase() === wanted.toLowerCase()) ?? false

/** Mail about a topic, and all that goes to many. */
const canUnsubscribe = ({ topicId, broadcast }: LoadedEmail) => topicId !== null || broadcast !== null

/** What is stored stays as it was given: links are replaced in what leaves. */
async function bodyOf(
  content: Content,
  unsubscribeUrl: URL | null,
  { tracker, run }: { tracker: Tracker; run: Runner },
) {
  const { html, text } = wordsOf(content, unsubscribeUrl)
  return { html: html ? await run(trackHtml(html, tracker)) : html, text }
}

function wordsOf({ html, text, broadcastContent, variables }: Content, unsubscribeUrl: URL | null) {
  if (broadcastContent) return personalise(broadcastContent, variables ?? {}, unsubscribeUrl!.href)
  // Left out: made from the html. Given as nothing: not wanted.
  return { html, text: (text ?? (html === null ? '' : textOf(html))) || null }
}

/** Checked when the email was accepted. */
const mailbox = (text: string): Mailbox => parseMailbox(text)!
