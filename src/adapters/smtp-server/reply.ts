import type { SmtpRefusal } from './handler.ts'
import type { Limits } from './limits.ts'

/** A reply line has 512 octets at most (RFC 5321, 4.5.3.1.5), the codes and the line end included. */
const LONGEST_TEXT = 480
// Texts may repeat what a client wrote. A line end in them would be a second reply.
const CONTROL = /\p{Cc}/gu

export interface Reply {
  readonly code: number
  /** RFC 3463, like `2.1.0`; empty where RFC 2034 has none: the greeting, answers to HELO and EHLO, 3xx. */
  readonly enhanced: string
  readonly message: string
  /** The lines after the first one. */
  readonly more?: readonly string[]
}

export const reply = (code: number, enhanced: string, message: string): Reply => ({ code, enhanced, message })

export function formatReply({ code, enhanced, message, more }: Reply): string {
  const prefix = enhanced === '' ? '' : `${enhanced} `
  const lines = more ? [message, ...more] : [message]
  const last = lines.length - 1
  return lines.map((line, index) => `${code}${index < last ? '-' : ' '}${prefix}${printable(line)}\r\n`).join('')
}

const printable = (text: string) => text.slice(0, LONGEST_TEXT).replace(CONTROL, ' ')

export const LOCAL_ERROR: SmtpRefusal = {
  code: 451,
  enhanced: '4.3.0',
  message: 'Something went wrong here, try again later',
}
export const NO_ROOM: SmtpRefusal = {
  code: 452,
  enhanced: '4.3.1',
  message: 'Too much mail at the moment, try again later',
}
export const tooLarge = (maxBytes: number): SmtpRefusal => ({
  code: 552,
  enhanced: '5.3.4',
  message: `Message exceeds the maximum size of ${maxBytes} bytes`,
})
export const headerTooLarge = ({
  headerBytes,
  headerFields,
}: Pick<Limits, 'headerBytes' | 'headerFields'>): SmtpRefusal => ({
  code: 552,
  enhanced: '5.3.4',
  message: `Message header exceeds ${headerBytes} bytes or ${headerFields} fields`,
})
