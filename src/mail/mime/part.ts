import { isAscii } from '../ascii.ts'
import { safeFilename } from '../filename.ts'
import type { Attachment } from '../message.ts'
import type { Steps } from '../steps.ts'
import type { Chunk } from './chunk.ts'
import { filenameParameters, nameParameter } from './file-name-parameter.ts'
import { fold, foldPieces } from './header-line.ts'
import { readMediaType } from './media-type.ts'
import { BOUNDARY_START } from './quoted-printable.ts'
import { type Encoded, encodeMessage, encodeText } from './text-encoding.ts'

/** A node of the message: its headers, and what comes after the empty line. */
export interface Part {
  readonly headers: string
  readonly body: readonly Chunk[]
}

export function* textPart(type: 'text/plain' | 'text/html', text: string): Steps<Part> {
  return encodedTextPart(type, yield* encodeText(text))
}

/** The same of a text that is encoded already. */
export const encodedTextPart = (type: 'text/plain' | 'text/html', encoded: Encoded): Part =>
  leaf(foldPieces('Content-Type', [`${type};`, ' charset=utf-8']), encoded)

/** An attachment, or what the html shows in place. The one is offered for saving, the other has an id to be found by. */
export function* filePart({ filename, contentType, contentId, content }: Attachment): Steps<Part> {
  const declared = readMediaType(contentType)
  const { type, encoded } = yield* encodeFile(declared.type, content)
  const name = filename === null ? null : safeFilename(filename)
  const typeParameters = [
    ...declared.parameters.map((parameter) => [parameter]),
    ...(name ? [nameParameter(name)] : []),
  ]
  const dispositionParameters = name ? filenameParameters(name).map((parameter) => [parameter]) : []
  const headers = [
    withParameters('Content-Type', type, typeParameters),
    contentId === null ? '' : fold('Content-ID', `<${safeContentId(contentId)}>`),
    withParameters('Content-Disposition', contentId === null ? 'attachment' : 'inline', dispositionParameters),
  ]
  return leaf(headers.join(''), encoded)
}

/** In base64, except for a message, which must not be encoded. One that would have to be is declared as any other file. */
function* encodeFile(type: string, content: Buffer): Steps<{ type: string; encoded: Encoded }> {
  const base64: Encoded = { encoding: 'base64', content: [{ base64: content }] }
  if (!/^message\//i.test(type)) return { type, encoded: base64 }
  const message = yield* encodeMessage(content)
  return message ? { type, encoded: message } : { type: 'application/octet-stream', encoded: base64 }
}

/** Each parameter may be in pieces; between them, and between parameters, is where the line may be folded. */
function withParameters(name: string, value: string, parameters: readonly (readonly string[])[]): string {
  const pieces = [[value], ...parameters].flatMap((parameter, i, all) =>
    parameter.map((piece, j) => {
      const isEnd = j === parameter.length - 1 && i < all.length - 1
      return `${i + j === 0 ? '' : ' '}${piece}${isEnd ? ';' : ''}`
    }),
  )
  return foldPieces(name, pieces)
}

function leaf(headers: string, { encoding, content }: Encoded): Part {
  return { headers: `${headers}Content-Transfer-Encoding: ${encoding}\r\n`, body: content }
}

/** What `cid:` in the html names. Percent-encoding is how a URL would spell what a header cannot. */
function safeContentId(id: string): string {
  const bare = id.trim().replace(/^<|>$/g, '')
  return isAscii(bare) && !/[\s\p{Cc}<>]/u.test(bare) ? bare : encodeURIComponent(bare.toWellFormed())
}

/** The parts of one kind of multipart, each within its boundary. */
export function multipart(kind: 'mixed' | 'related' | 'alternative', seed: string, parts: readonly Part[]): Part {
  const boundary = `${BOUNDARY_START}${seed.replace(/[^A-Za-z0-9-]/g, '').slice(0, 48)}_${kind}`
  // RFC 2387 asks for the type of the part that the others belong to.
  const type = kind === 'related' ? ' type="text/html";' : ''
  return {
    headers: foldPieces('Content-Type', [`multipart/${kind};${type}`, ` boundary="${boundary}"`]),
    body: [
      ...parts.flatMap(({ headers, body }, i) => [`${i === 0 ? '' : '\r\n'}--${boundary}\r\n${headers}\r\n`, ...body]),
      `\r\n--${boundary}--`,
    ],
  }
}
