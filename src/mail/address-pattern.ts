import { domainToUnicode } from 'node:url'
import { comparableAddress, parseMailbox, toAsciiDomain, withoutTag } from './address.ts'
import { fold } from './words.ts'

// Finds one person's address in any text, however it is spelled there: in either case, with a tag (`ada+news@…`), the domain in ASCII or
// in letters, and as URLs, HTML, JSON and bytea in the format `escape` write it.

/** What stands in the place of an address that was erased. The name is reserved (RFC 2606): no mail can ever reach it. */
export const ERASED_DOMAIN = 'erased.invalid'
export const ERASED_ADDRESS = `erased@${ERASED_DOMAIN}`

export class AddressPattern {
  /** As addresses are compared. */
  readonly address: string
  /** For `~*` of PostgreSQL. Finds a little too much: it knows no bounds. */
  readonly source: string
  /** For RE2, which cannot look around: whether the address stands in a text, or in bytes that are written as `\\xNN` where they are not ASCII. */
  readonly re2: string
  readonly #all: RegExp
  readonly #bytes: RegExp
  readonly #inNames: RegExp

  constructor(address: string) {
    this.address = comparableAddress(address)
    this.source = sourceOf(this.address)
    this.re2 = `${BEFORE_IN_RE2}(?:${this.source})${BEHIND_IN_RE2}`
    const bounded = `${BEFORE}(?:${this.source})${BEHIND}`
    this.#all = new RegExp(bounded, 'giu')
    this.#inNames = new RegExp(`(?<![\\p{L}\\p{N}])(?:${this.source})${BEHIND}`, 'giu')
    this.#bytes = new RegExp(`${BEFORE_IN_BYTES}(?:${this.source})${BEHIND}`, 'giu')
  }

  isIn(text: string): boolean {
    this.#all.lastIndex = 0
    return this.#all.test(text)
  }

  /** Whether it is a part of a name that programs make up: `welcome-ada@example.com`, which would be somebody else in a text. */
  isInName(text: string): boolean {
    this.#inNames.lastIndex = 0
    return this.#inNames.test(text)
  }

  /** Whether a bare address, or `Name <address>`, is this person's. */
  isOf(mailbox: string): boolean {
    const address = parseMailbox(mailbox)?.address ?? /<([^<>]*)>\s*$/.exec(mailbox)?.[1] ?? mailbox
    const given = comparableAddress(address.trim())
    return given === this.address || (!hasTag(this.address) && withoutTag(given) === this.address)
  }

  /** The text with the address replaced. A text that is nothing but a mailbox goes with its name. */
  redact(text: string): string {
    if (!this.isIn(text)) return text
    if (text.length <= MAX_MAILBOX_LENGTH && this.isOf(text)) return ERASED_ADDRESS
    const named = text.replace(NAMED_MAILBOX, (found, address: string) => (this.isOf(address) ? `<${address}>` : found))
    return named.replace(this.#all, ERASED_ADDRESS)
  }

  /** Every string of a JSON value, and every name of a field. Beside a field with the address, what else describes the person goes, too. */
  redactJson(value: unknown): unknown {
    if (typeof value === 'string') return this.redact(value)
    if (Array.isArray(value)) return value.map((one) => this.redactJson(one))
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value)
    const isPerson = entries.some(([, one]) => typeof one === 'string' && this.isOf(one))
    return Object.fromEntries(
      entries.map(([name, one]) => [this.redact(name), isPerson && DESCRIBING.has(name) ? null : this.redactJson(one)]),
    )
  }

  /** The same number of bytes: what is kept beside them counts them. Null: the address is not in them. */
  redactBytes(bytes: Buffer): Buffer | null {
    const text = bytes.toString('latin1')
    let isFound = false
    const masked = text.replace(this.#bytes, (found) => {
      isFound = true
      return found.replace(/[^@.]/g, 'x')
    })
    return isFound ? Buffer.from(masked, 'latin1') : null
  }
}

/** A line of a header is not longer. */
const MAX_MAILBOX_LENGTH = 998
const NAMED_MAILBOX = /"(?:[^"\\\n]|\\.){0,200}"\s*<([^<>\s]{3,320})>/g
const DESCRIBING = new Set(['name', 'first_name', 'last_name', 'properties', 'variables'])

// A letter before it belongs to a longer address, unless it is the end of an escape.
const BEFORE = String.raw`(?:(?<![\p{L}\p{N}._+-])|(?<=%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\[nrtbf]))`
// Bytes of letters beyond ASCII tell nothing; `=3D` is how mail encodes.
const BEFORE_IN_BYTES = '(?:(?<![a-z0-9._+-])|(?<=[%=][0-9a-f]{2}))'
const BEHIND = String.raw`(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`
// The same without looking around: what is before and behind is part of what is found.
const BEFORE_IN_RE2 = String.raw`(?:^|[^\p{L}\p{N}._+-]|%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrtbf])`
const BEHIND_IN_RE2 = String.raw`(?:$|[^\p{L}\p{N}.-]|\.(?:$|[^\p{L}\p{N}]))`

const hasTag = (address: string) => address.slice(0, address.lastIndexOf('@')).includes('+')

function sourceOf(address: string): string {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), toAsciiDomain(address.slice(at + 1))]
  const domains = new Set([domain, domainToUnicode(domain), fold(domainToUnicode(domain))])
  const locals = new Set([local, fold(local)])
  const tag = local.includes('+') ? '' : `(?:${spelled('+')}[a-z0-9._+=%-]{0,64})?`
  return `(?:${[...locals].map(spelled).join('|')})${tag}${spelled('@')}(?:${[...domains].filter(Boolean).map(spelled).join('|')})`
}

const spelled = (text: string) => [...text].map(spelledCharacter).join('')

function spelledCharacter(character: string): string {
  if (/[a-z0-9]/i.test(character)) return character
  const code = character.codePointAt(0)!
  const utf8 = [...Buffer.from(character)]
  const utf16 = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  const forms = [
    character.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
    utf8.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    `&#${code};`,
    `&#x${code.toString(16)};`,
    utf16.map((unit) => `\\\\u${unit.toString(16).padStart(4, '0')}`).join(''),
    // UTF-8 as bytea and Parquet files write it, and as it is read byte by byte.
    ...(code > 127
      ? [
          utf8.map((byte) => `\\\\${byte.toString(8)}`).join(''),
          utf8.map((byte) => `\\\\x${byte.toString(16)}`).join(''),
          utf8.map((byte) => String.fromCharCode(byte)).join(''),
        ]
      : []),
  ]
  return `(?:${forms.join('|')})`
}
