import { isAscii } from 'node:buffer'
import { isHeaderName } from './custom-header.ts'
import type { Attachment, Message, Stamp } from './message.ts'
import { assemble, type Chunk, endsLine } from './mime/chunk.ts'
import { headerLine } from './mime/header-line.ts'
import { mailboxHeader } from './mime/mailbox-list.ts'
import { encodedTextPart, filePart, multipart, type Part, textPart } from './mime/part.ts'
import type { Encoded } from './mime/text-encoding.ts'
import { atOnce, type Steps } from './steps.ts'

/** The message as it goes over the wire, with CRLF everywhere; only the signatures in front of it are missing. */
export const buildMime = (message: Message, stamp: Stamp): Buffer => atOnce(mimeSteps(message, stamp))

/** The same, for a message that can be large. */
export function* mimeSteps(message: Message, stamp: Stamp): Steps<Buffer> {
  const { headers, body } = yield* contentOf(message, stamp.seed)
  return yield* assemble([`${headersOf(message, stamp)}${headers}\r\n`, ...body, endsLine(body.at(-1)) ? '' : '\r\n'])
}

/** The same of a message without attachments whose texts are encoded already, in parts; at least one of them is set. */
export function mimeOfEncoded(
  message: Message,
  stamp: Stamp,
  { text, html }: { readonly text: Encoded | null; readonly html: Encoded | null },
): { readonly head: string; readonly body: readonly Chunk[] } {
  const readings = [text && encodedTextPart('text/plain', text), html && encodedTextPart('text/html', html)]
  const { headers, body } = joined(
    'alternative',
    stamp.seed,
    readings.filter((part) => part !== null),
  )
  return {
    head: `${headersOf(message, stamp)}${headers}\r\n`,
    body: endsLine(body.at(-1)) ? body : [...body, '\r\n'],
  }
}

/** Whether a server has to speak SMTPUTF8 to be given the message: an address in its headers is spelled in UTF-8. */
export function hasUtf8Headers(mime: Buffer): boolean {
  return !isAscii(mime.subarray(0, mime.indexOf('\r\n\r\n')))
}

function headersOf(message: Message, { date, messageId }: Stamp): string {
  const { from, to, cc, replyTo, subject, headers } = message
  return [
    headerLine('Date', date.toUTCString().replace('GMT', '+0000')),
    headerLine('Message-ID', messageId),
    headerLine('MIME-Version', '1.0'),
    mailboxHeader('From', [from]),
    to.length > 0 ? mailboxHeader('To', to) : 'To: undisclosed-recipients:;\r\n',
    cc.length > 0 ? mailboxHeader('Cc', cc) : '',
    replyTo.length > 0 ? mailboxHeader('Reply-To', replyTo) : '',
    headerLine('Subject', subject),
    ...headers.map(customHeader),
  ].join('')
}

function customHeader({ name, value }: Message['headers'][number]): string {
  if (!isHeaderName(name)) throw new Error(`A header cannot be named ${JSON.stringify(name.slice(0, 80))}`)
  return headerLine(name, value)
}

/**
 * Only as many multiparts as there is something to put together: mixed (alternative (text, related (html, inline files)),
 * attachments). An empty text or html is left out: an empty alternative is what some reader would be shown instead of the mail.
 */
function* contentOf({ text, html, attachments }: Message, seed: string): Steps<Part> {
  const inline = html ? attachments.filter(({ contentId }) => contentId !== null) : []
  const attached = attachments.filter((file) => !inline.includes(file))

  const readings: Part[] = []
  if (text || (!html && attached.length === 0)) readings.push(yield* textPart('text/plain', text ?? ''))
  if (html) readings.push(joined('related', seed, [yield* textPart('text/html', html), ...(yield* fileParts(inline))]))

  const body = readings.length > 0 ? [joined('alternative', seed, readings)] : []
  return joined('mixed', seed, [...body, ...(yield* fileParts(attached))])
}

function* fileParts(files: readonly Attachment[]): Steps<Part[]> {
  const parts: Part[] = []
  for (const file of files) parts.push(yield* filePart(file))
  return parts
}

function joined(kind: 'mixed' | 'related' | 'alternative', seed: string, parts: readonly Part[]): Part {
  const [only, ...others] = parts
  return only !== undefined && others.length === 0 ? only : multipart(kind, seed, parts)
}
