import { createHmac, timingSafeEqual } from 'node:crypto'
import type { MailHeader } from './parsed.ts'

// Mail that the installation itself sends carries the id of its email, signed: in a header of its own, and in its Message-ID for the
// rare relay that takes unknown headers away. Relays that write their own Message-ID leave the header.

/** The purpose of the key that signs. */
export const SYSTEM_MAIL = 'system-mail'

/** The header that says so. */
export const SYSTEM_MARK_HEADER = 'X-Postwren-System'

const MARK = /^([0-9a-f]{32})-([0-9a-f]{32})$/
const MESSAGE_ID = /^<([0-9a-f]{32}-[0-9a-f]{32})@/

/** The id of an email of the system team, and what proves that it is one. */
export function systemMark(emailId: string, secret: Buffer): string {
  const id = emailId.replaceAll('-', '').toLowerCase()
  return `${id}-${signatureOf(id, secret).toString('hex')}`
}

/**
 * Which email of the system team a message is, by its header alone; null: none. Nobody else can write a mark. Whoever copies one from
 * a mail that they got marks nothing but what they write themselves.
 */
export function readSystemMark(headers: readonly MailHeader[], secrets: readonly Buffer[]): { emailId: string } | null {
  for (const { name, value } of headers) {
    const mark =
      name === HEADER_NAME ? value.trim() : name === 'message-id' ? MESSAGE_ID.exec(value.trim())?.[1] : undefined
    const [, id, signature] = (mark !== undefined && MARK.exec(mark)) || []
    if (id === undefined || signature === undefined) continue
    const given = Buffer.from(signature, 'hex')
    if (secrets.some((secret) => timingSafeEqual(given, signatureOf(id, secret))))
      return { emailId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') }
  }
  return null
}

const HEADER_NAME = SYSTEM_MARK_HEADER.toLowerCase()

/** 128 bits. The prefix keeps it from being a signature of anything else. */
const signatureOf = (id: string, secret: Buffer): Buffer =>
  createHmac('sha256', secret).update(`system-mail:${id}`).digest().subarray(0, 16)
