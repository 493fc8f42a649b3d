import { parseMailbox } from '../../mail/address.ts'
import { textOf } from '../../mail/html-text.ts'
import { readHeaderBlock } from '../../mail/parse/header-block.ts'
import { headerFieldsOf } from '../../mail/parse/header-fields.ts'
import type { MailHeader } from '../../mail/parsed.ts'
import { type Tracker, trackHtml } from '../../mail/tracked-html.ts'
import { inTurns } from '../../platform/concurrency/in-turns.ts'
import { fromPieces } from '../../platform/concurrency/long-text.ts'
import { isUnavailable } from '../../platform/database-errors.ts'
import { type LoadedEmail, loadEmail } from '../emails/delivery/ledger/load.ts'
import { type BuildParts, buildMessage, type Signature } from '../emails/delivery/message/build.ts'
import { type Content, Contents } from '../emails/delivery/message/contents.ts'
import { unsubscribeUrl } from '../emails/delivery/message/unsubscribe-link.ts'
import { readEmail, sourceParts } from '../emails/index.ts'
import { MAX_INLINE_RAW_BYTES, MAX_SCAN_LENGTH, type MessageContent } from './content.ts'
import { findBodyPiece } from './queries.ts'
import type { MessagesServices } from './services.ts'

/** What a sent message says to its first recipient: with their own links, where these are tracked, and the way out that is theirs. */
export async function sentContent(services: MessagesServices, email: LoadedEmail): Promise<MessageContent | undefined> {
  const signature = await unsigned(services, email)
  const [shown, raw] = await Promise.all([
    bodiesOf(services, email),
    isShort(email) ? build(services, email, signature).catch(unlessAway) : null,
  ])
  if (!shown) return undefined
  const header = raw ?? (await buildHeader(services, email, signature).catch(unlessAway))
  const tracker = signature.trackerFor(email, firstRecipient(email))
  return {
    html: shown.html,
    linkedHtml: shown.html && (await withTrackedLinks(shown.html, tracker)),
    // Left out: the one that is made from the html, as the recipient has it.
    text: shown.text ?? (shown.html ? textOf(shown.html) : null),
    headers: header ? headersIn(header) : [],
    raw,
  }
}

/** Bodies are read in one piece up to here. */
const SHORT_BODIES = 1024 * 1024

function bodiesOf(services: MessagesServices, { team, id, sizes, broadcast }: LoadedEmail) {
  if (broadcast || sizes.html + sizes.text + sizes.submitted <= SHORT_BODIES) return readEmail(services, team, id)
  const whole = (body: 'html' | 'text') => fromPieces((piece) => findBodyPiece(services.db, { team, id, body, piece }))
  return Promise.all([whole('html'), whole('text')]).then(([html, text]) => ({ html, text }))
}

/** The message as it leaves for its first recipient, unsigned, however large it is. Undefined: there is none. */
export async function sentRaw(
  services: MessagesServices,
  team: string,
  id: string,
): Promise<Buffer | null | undefined> {
  const email = await loadEmail(services.db, team, id)
  if (!email) return undefined
  const content = await new Contents(services.db).load(email)
  return buildWith(services, email, { signature: await unsigned(services, email), content }).catch(unlessAway)
}

const firstRecipient = ({ to }: LoadedEmail) => parseMailbox(to[0] ?? '')?.address ?? ''

/** Signatures are made when a message leaves, and last for some days only. */
async function unsigned({ identityOf }: MessagesServices, email: LoadedEmail): Promise<Signature> {
  const identity = await identityOf(email)
  return { signers: [], trackerFor: identity?.trackerFor ?? (() => null) }
}

/** The picture that records an open is in the raw message only. What is longer than what links are looked for in is left as it is. */
const withTrackedLinks = async (html: string, tracker: Tracker | null): Promise<string> =>
  tracker ? inTurns(trackHtml(html.slice(0, MAX_SCAN_LENGTH), { ...tracker, pixelUrl: null })) : html

const isShort = ({ sizes: { html, text, attachments, submitted } }: LoadedEmail) =>
  (submitted || html + text + (attachments * 4) / 3) <= MAX_INLINE_RAW_BYTES

async function build(services: MessagesServices, email: LoadedEmail, signature: Signature): Promise<Buffer | null> {
  const content = await new Contents(services.db).load(email)
  const raw = await buildWith(services, email, { signature, content })
  return raw.length <= MAX_INLINE_RAW_BYTES ? raw : null
}

/** Of a large one only the header is built. */
async function buildHeader(services: MessagesServices, email: LoadedEmail, signature: Signature): Promise<Buffer> {
  if (email.sizes.submitted === 0)
    return buildWith(services, email, { signature, content: { ...NO_CONTENT, headers: email.headers } })
  const content = sourceParts.asWritten(await new Contents(services.db).load(email))
  const contentOf = (blob: string) => sourceParts.beginningOf(services, blob, sourceParts.SHOWN_SUBMITTED_BYTES)
  return buildWith(services, email, { signature, content, contentOf })
}

const NO_CONTENT: Content = {
  html: null,
  text: '',
  headers: null,
  attachments: [],
  broadcastContent: null,
  variables: null,
  submitted: null,
}

const buildWith = (
  { clock, links, publicUrl, blobs }: MessagesServices,
  email: LoadedEmail,
  {
    signature,
    content,
    contentOf = (blob) => blobs.get(blob),
  }: Partial<Pick<BuildParts, 'contentOf'>> & { readonly signature: Signature; readonly content: Content },
) =>
  buildMessage(
    email,
    { content, recipient: firstRecipient(email), signature },
    {
      clock,
      contentOf,
      unsubscribeUrl: (one, recipient) => unsubscribeUrl({ links, publicUrl: publicUrl() }, one, recipient),
    },
  )

/** A file that is missing, or a copy that is too long, is no reason to show nothing of the message. */
function unlessAway(error: unknown): null {
  if (isUnavailable(error)) throw error
  return null
}

const MAX_HEADER_BYTES = 64 * 1024

const headersIn = (raw: Buffer): readonly MailHeader[] =>
  headerFieldsOf(readHeaderBlock(raw, { start: 0, maxBytes: MAX_HEADER_BYTES, isBodyWanted: false }).fields).headers
