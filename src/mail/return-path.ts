import { createHmac, timingSafeEqual } from 'node:crypto'

// Bounces come back to where the message says, from anybody who feels like it: only what we signed is about an email of ours.
const LOCAL_PART = /^(?:(bounce|complaint)\+|([bc])\+[a-z][a-z0-9]{0,7}-)([a-z2-7]{45})$/
/** As they were before they named a recipient. Bounces and complaints may come years after the mail, so these stay readable. */
const WITHOUT_RECIPIENT = /^(?:bounce\+|b\+[a-z][a-z0-9]{0,7}-)([0-9a-f]{32})-([0-9a-f]{20})$/

const ID_BYTES = 16
const POSITION_BYTES = 2
const SIGNATURE_BYTES = 10
const MAX_POSITION = 2 ** (POSITION_BYTES * 8) - 1

/** Which recipient of which email something that came back is about. */
export interface ReturnedTo {
  readonly emailId: string
  /** In the ledger; null: the return path is of a time when all recipients of an email shared one. */
  readonly position: number | null
}

/**
 * The same, and by which address: the return path takes whatever is reported, and the complaint address takes complaints alone. One does not
 * lead to the other without the secret.
 */
export interface ReportedTo extends ReturnedTo {
  readonly by: 'return-path' | 'complaint-address'
}

/** Of whom an address is made. */
export interface ReportAddressOf {
  readonly emailId: string
  readonly position: number
  readonly domain: string
  readonly cell?: string | null | undefined
}

/**
 * Where what comes back about one recipient of an email goes to: `bounce+<email, recipient and signature>@domain`, 52 of the 64
 * characters that fit. With a cell it is `b+<cell>-…`, at most 56, so that whoever routes mail can go by it. Base32: servers may change the case.
 */
export const returnPath = (of: ReportAddressOf, secret: Buffer) => signedAddress('return-path', of, secret)

/**
 * Where complaints about it go to: `complaint+…`, or `c+<cell>-…`. It stands in the header, where everybody reads it whom the mail is shown or
 * forwarded to, so bounces that come to it are nobody's.
 */
export const complaintAddress = (of: ReportAddressOf, secret: Buffer) => signedAddress('complaint-address', of, secret)

const NAMES = { 'return-path': 'bounce', 'complaint-address': 'complaint' } as const

function signedAddress(
  by: ReportedTo['by'],
  { emailId, position, domain, cell }: ReportAddressOf,
  secret: Buffer,
): string {
  const id = emailId.replaceAll('-', '').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error('The id of an email is a UUID')
  if (!Number.isInteger(position) || position < 0 || position > MAX_POSITION)
    throw new Error('A position in the ledger is a small number')
  const named = `${id}${position.toString(16).padStart(2 * POSITION_BYTES, '0')}`
  const token = base32(Buffer.concat([Buffer.from(named, 'hex'), signatureOf(by, named, secret)]))
  const name = NAMES[by]
  return `${cell ? `${name[0]}+${cell}-` : `${name}+`}${token}@${domain}`
}

/**
 * Whom a bounce or a complaint is about, or null when the address is not one of ours. Servers may change the case, and nothing else:
 * BATV and SRS put their marks on addresses of the domain that adds them, and take them off before a bounce goes on to us.
 */
export function readReportAddress(localPart: string, secrets: readonly Buffer[]): ReportedTo | null {
  if (localPart.length > 64) return null
  const spelled = localPart.toLowerCase()
  return readNamed(spelled, secrets) ?? readWithoutRecipient(spelled, secrets)
}

function readNamed(localPart: string, secrets: readonly Buffer[]): ReportedTo | null {
  const [, name, initial, token] = LOCAL_PART.exec(localPart) ?? []
  const by = (name ?? initial)?.startsWith('c') ? 'complaint-address' : 'return-path'
  const bytes = token === undefined ? null : fromBase32(token)
  if (bytes === null) return null
  const named = bytes.subarray(0, ID_BYTES + POSITION_BYTES)
  const given = bytes.subarray(ID_BYTES + POSITION_BYTES)
  if (!secrets.some((secret) => timingSafeEqual(given, signatureOf(by, named.toString('hex'), secret)))) return null
  return { by, emailId: uuid(named.toString('hex', 0, ID_BYTES)), position: named.readUInt16BE(ID_BYTES) }
}

function readWithoutRecipient(localPart: string, secrets: readonly Buffer[]): ReportedTo | null {
  const [, id, signature] = WITHOUT_RECIPIENT.exec(localPart) ?? []
  if (id === undefined || signature === undefined) return null
  const given = Buffer.from(signature, 'hex')
  if (!secrets.some((secret) => timingSafeEqual(given, hmac(`return-path:${id}`, secret)))) return null
  return { by: 'return-path', emailId: uuid(id), position: null }
}

const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** The prefix keeps it from being a signature of anything else, the other kind of address and a return path without a recipient among that. */
const signatureOf = (by: ReportedTo['by'], named: string, secret: Buffer) => hmac(`${by}:recipient:${named}`, secret)

/** 80 bits: guessing one takes more mail than there is. */
const hmac = (text: string, secret: Buffer) =>
  createHmac('sha256', secret).update(text).digest().subarray(0, SIGNATURE_BYTES)

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const LETTERS = Buffer.from(ALPHABET)

/** RFC 4648 in small letters, without padding. */
function base32(bytes: Buffer): string {
  // Letter by letter a text is a tree of texts, with eight times the memory.
  const letters = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5))
  let length = 0
  let bits = 0
  let count = 0
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    count += 8
    for (; count >= 5; count -= 5) letters[length++] = LETTERS[(bits >>> (count - 5)) & 31]!
    bits &= (1 << count) - 1
  }
  if (count > 0) letters[length] = LETTERS[(bits << (5 - count)) & 31]!
  return letters.toString('latin1')
}

/** Null: bits behind the last byte are set, so it is not what `base32` writes. */
function fromBase32(text: string): Buffer | null {
  const bytes = Buffer.alloc((text.length * 5) >>> 3)
  let length = 0
  let bits = 0
  let count = 0
  for (const character of text) {
    bits = (bits << 5) | ALPHABET.indexOf(character)
    count += 5
    if (count >= 8) {
      count -= 8
      bytes[length++] = bits >>> count
      bits &= (1 << count) - 1
    }
  }
  return bits === 0 ? bytes : null
}
