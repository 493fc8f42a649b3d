import { linkTokensOf } from './link-tokens.ts'
import { readHeaderBlock } from './parse/header-block.ts'
import { decodeHeader } from './parse/header-charset.ts'
import { readAddresses } from './parse/mailboxes.ts'
import { parseMail } from './parse.ts'
import type { ParsedMail } from './parsed.ts'
import { atOnce } from './steps.ts'
import { unfoldedValue, type WrittenField, writtenFields } from './submitted/fields.ts'
import { type Layout, readLayout } from './submitted/layout.ts'

/** A message that a client wants to be sent: what it says, and where in it is what we may touch. */
export interface SubmittedMail {
  readonly mail: ParsedMail
  /** Of the header, in the author's letters. */
  readonly fields: readonly WrittenField[]
  readonly layout: Layout
  /** What may be the tokens of links that sign in. */
  readonly linkTokens: readonly string[]
}

/** Why nobody would take the message. */
export interface Unsendable {
  readonly refusal: string
  readonly isLoop?: boolean
}

/** Postfix cuts a header off at 102,400 bytes, and with it the signature. Mail to a thousand people has 60 kB. */
const MAX_HEADER_BYTES = 100_000
const MAX_FIELDS = 500

/** As many hops as Postfix allows. RFC 5321 asks for 100 at least, and no real mail has 20. */
const MAX_HOPS = 50

/** Reads a message that was submitted. The caller keeps its bytes, and they are what leaves. */
export async function readSubmitted(raw: Buffer): Promise<SubmittedMail | Unsendable> {
  const { end } = readHeaderBlock(raw, { start: 0, maxBytes: MAX_HEADER_BYTES, isBodyWanted: false })
  if (end >= MAX_HEADER_BYTES) return { refusal: `The header of the message is larger than ${MAX_HEADER_BYTES} bytes.` }
  const fields = writtenFields(raw.subarray(0, end))
  const unsendable = refuseHeader(raw.subarray(0, end), fields)
  if (unsendable) return unsendable
  const layout = atOnce(readLayout(raw, end))
  if ('refusal' in layout) return layout
  const mail = await parseMail(raw)
  return { mail, fields, layout, linkTokens: await linkTokensOf(mail) }
}

// Escape is in raw Japanese headers (ISO-2022-JP).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]|\r(?!\n)/

function refuseHeader(header: Buffer, fields: readonly WrittenField[]): Unsendable | null {
  if (CONTROL.test(header.toString('latin1')))
    return { refusal: 'The header of the message has control characters in it.' }
  if (fields.length > MAX_FIELDS) return { refusal: `The header of the message has more than ${MAX_FIELDS} fields.` }
  if (fields.filter(({ key }) => key === 'received').length > MAX_HOPS)
    return {
      refusal: `The message has been through more than ${MAX_HOPS} servers: it goes in a circle.`,
      isLoop: true,
    }
  const authors = fields.filter(({ key }) => key === 'from')
  if (authors.length > 1 || authors.some((field) => readAddresses(decodeHeader(unfoldedValue(field), null)).length > 1))
    return { refusal: 'Invalid `from` field. A message has one sender.' }
  return null
}
