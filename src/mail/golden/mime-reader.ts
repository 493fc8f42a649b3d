/**
 * A small reader of MIME for the tests, written from the RFCs and sharing nothing with the builder: what both agree on is in the
 * bytes. Strict where the builder could go wrong (a word that ends inside a character throws), and no more than tests need.
 */
export interface ReadPart {
  readonly headers: ReadonlyMap<string, string[]>
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly disposition: string | null
  readonly filename: string | null
  readonly contentId: string | null
  readonly content: Buffer
  readonly parts: readonly ReadPart[]
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function readMime(bytes: Buffer): ReadPart {
  const headerEnd = bytes.indexOf('\r\n\r\n')
  const headers = readHeaders(utf8.decode(bytes.subarray(0, headerEnd)))
  const body = bytes.subarray(headerEnd + 4)
  const [type, parameters] = readParameters(headers.get('content-type')?.[0] ?? 'text/plain')
  const [disposition, its] = readParameters(headers.get('content-disposition')?.[0] ?? '')
  const isMultipart = type.startsWith('multipart/')
  return {
    headers,
    type,
    parameters,
    disposition: disposition || null,
    filename: its.get('filename') ?? null,
    contentId: headers.get('content-id')?.[0]?.replace(/^<|>$/g, '') ?? null,
    content: isMultipart ? Buffer.alloc(0) : decodeBody(body, headers.get('content-transfer-encoding')?.[0] ?? '7bit'),
    parts: isMultipart ? splitParts(body, parameters.get('boundary')!).map(readMime) : [],
  }
}

function readHeaders(block: string): Map<string, string[]> {
  const headers = new Map<string, string[]>()
  for (const line of block.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name, value] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? []
    if (name === undefined) throw new Error(`Not a header: ${line}`)
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value!])
  }
  return headers
}

/** RFC 2047: white space between two encoded words is not part of the text. */
export function decodeWords(text: string): string {
  return text
    .replace(/(=\?UTF-8\?[BQ]\?[^? ]*\?=)\s+(?==\?UTF-8\?[BQ]\?[^? ]*\?=)/g, '$1')
    .replace(/=\?UTF-8\?([BQ])\?([^? ]*)\?=/g, (_, encoding: string, word: string) =>
      utf8.decode(encoding === 'B' ? Buffer.from(word, 'base64') : unescapeBytes(word.replaceAll('_', ' '))),
    )
}

/** `Name <address>, …` with the names decoded. Quotes protect commas; encoded words contain none. */
export function readMailboxes(header: string): { name: string | null; address: string }[] {
  const mailboxes = header.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g) ?? []
  return mailboxes.map((mailbox) => {
    const [, phrase, address] = /^(.*?)\s*<([^<>]+)>$/.exec(mailbox.trim()) ?? [null, '', mailbox.trim()]
    const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(phrase!)
    const name = quoted ? quoted[1]!.replace(/\\(.)/g, '$1') : decodeWords(phrase!)
    return { name: name === '' ? null : name, address: address! }
  })
}

/** `value; name=value` with RFC 2231 decoded and the numbered pieces put together. */
function readParameters(header: string): [string, Map<string, string>] {
  const [value, ...rest] = header.match(/(?:"(?:[^"\\]|\\.)*"|[^";])+/g) ?? ['']
  const parameters = new Map<string, string>()
  for (const parameter of rest) {
    const [, name, raw] = /^\s*([^=\s]+)=(.*?)\s*$/.exec(parameter)!
    const [, base, number, isExtended] = /^([^*]+)(\*\d+)?(\*)?$/.exec(name!)!
    const plain = isExtended
      ? decodeURIComponent(raw!.replace(/^utf-8''/i, ''))
      : raw!.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1')
    parameters.set(base!, number ? (parameters.get(base!) ?? '') + plain : plain)
  }
  return [value!.trim().toLowerCase(), parameters]
}

function splitParts(body: Buffer, boundary: string): Buffer[] {
  const pieces = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`)
  if (!pieces.at(-1)!.startsWith('--')) throw new Error(`The boundary ${boundary} is not closed`)
  return pieces.slice(1, -1).map((piece) => Buffer.from(piece.replace(/^[ \t]*\r\n/, ''), 'latin1'))
}

function decodeBody(body: Buffer, encoding: string): Buffer {
  const text = body.toString('latin1')
  if (encoding === 'base64') return Buffer.from(text, 'base64')
  if (encoding === 'quoted-printable') return unescapeBytes(text.replace(/[ \t]+\r\n/g, '\r\n').replace(/=\r\n/g, ''))
  return body
}

function unescapeBytes(text: string): Buffer {
  const unescaped = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(unescaped, 'latin1')
}
