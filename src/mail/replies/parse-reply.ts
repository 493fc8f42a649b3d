import { withoutControls } from '../ascii.ts'

/** What a server answered. */
export interface SmtpReply {
  readonly code: number
  /** RFC 3463: `5.1.1`. */
  readonly enhanced: string | null
  /** The words, without the codes. */
  readonly text: string
}

// A server may say as much as it likes; nobody reads more of it, and it is stored with every attempt.
const MAX_REPLY_LENGTH = 1_000

const CODES = /^(\d{3})(?:[ -]|$)\s*(?:#?([245]\.\d{1,3}\.\d{1,3})(?![\d.]):?)?/

// qmail and its descendants write the enhanced code at the end.
const ENHANCED_AT_THE_END = /\(#([245]\.\d{1,3}\.\d{1,3})\)/

/**
 * Reads a reply of one line or several; null when it does not begin as one of SMTP has to. Where the lines do not agree, the last one
 * counts: it is the one that ends the reply.
 */
export function parseReply(reply: string): SmtpReply | null {
  const lines = reply.slice(0, 10 * MAX_REPLY_LENGTH).split(/\r\n|\r|\n/)
  const codes = lines.flatMap((line) => {
    const [, code, enhanced = null] = CODES.exec(line) ?? []
    return code === undefined ? [] : [{ code, enhanced }]
  })
  const code = codes.at(-1)?.code
  if (code === undefined || !CODES.test(lines[0]!)) return null
  const enhanced = codes.find((one) => one.code === code && one.enhanced !== null)?.enhanced
  const text = cleanReply(lines.map((line) => line.replace(CODES, '').trim()).join(' '))
  return { code: Number(code), enhanced: enhanced ?? ENHANCED_AT_THE_END.exec(text)?.[1] ?? null, text }
}

/** In one printable line, and not longer than is kept. */
export const cleanReply = (text: string): string =>
  withoutControls(text.slice(0, 2 * MAX_REPLY_LENGTH))
    .replace(/ {2,}/g, ' ')
    .slice(0, MAX_REPLY_LENGTH)
    .toWellFormed()
