import type { PreparedContent } from './broadcast.ts'
import { relaxed } from './dkim/body-hash.ts'
import { hashOfRelaxed } from './dkim/chunks-hash.ts'
import type { Message, Stamp } from './message.ts'
import type { Chunk } from './mime/chunk.ts'
import { encodeSpliced, type SplicedEncoding, type SplicedText, spliceText } from './mime/spliced-text.ts'
import { encodeText } from './mime/text-encoding.ts'
import { mimeOfEncoded } from './mime.ts'
import { fillings, type Variables } from './personal.ts'
import { atOnce } from './steps.ts'

/** What a broadcast says, cut into what all copies share and what is each recipient's own. */
export interface SplicedContent {
  readonly html: SplicedText | null
  readonly text: SplicedText | null
}

/** Null: it is too long to be encoded line by line. */
export function spliceContent({ html, text }: PreparedContent): SplicedContent | null {
  const spliced = { html: html ? spliceText(html) : null, text: text ? spliceText(text) : null }
  return (html && !spliced.html) || (text && !spliced.text) ? null : spliced
}

/** What is one copy's own. */
export interface Personal {
  readonly variables: Variables
  readonly unsubscribeUrl: string
  /** Set: the html as it leaves, in which links are replaced. */
  readonly trackedHtml: string | null
}

/** A copy as it leaves, but for its signatures. */
export interface SplicedMessage {
  readonly head: Buffer
  readonly body: readonly (string | Buffer)[]
  readonly bodyHash: string
}

/**
 * The copy that `buildMime` would make, byte for byte, out of what was made once for all copies. Its body hash comes with it. Null: it has to be made from
 * nothing, because what the recipient brings changes more than some lines.
 */
export function spliceMessage(
  { message, stamp }: { readonly message: Message; readonly stamp: Stamp },
  content: SplicedContent,
  { variables, unsubscribeUrl, trackedHtml }: Personal,
): SplicedMessage | null {
  const filling = fillings(variables, unsubscribeUrl)
  const text = content.text && encodeSpliced(content.text, filling.text)
  const html =
    trackedHtml === null ? content.html && encodeSpliced(content.html, filling.html) : encodeWhole(trackedHtml)
  if ((content.text && !text) || (content.html && !html) || (!text && !html)) return null
  const { head, body } = mimeOfEncoded(message, stamp, { text, html })
  const known = new Map([...(text?.relaxed ?? []), ...(html?.relaxed ?? [])])
  const chunks = body as readonly (string | Buffer)[]
  const bodyHash = hashOfRelaxed(chunks.map((chunk) => known.get(chunk) ?? relaxed(chunk.toString('latin1'))))
  return bodyHash === null ? null : { head: Buffer.from(head), body: chunks, bodyHash }
}

function encodeWhole(html: string): SplicedEncoding | null {
  const encoded = atOnce(encodeText(html))
  return encoded.encoding === 'base64' ? null : { ...encoded, relaxed: NOTHING_KNOWN }
}

const NOTHING_KNOWN: ReadonlyMap<Chunk, Buffer> = new Map()
