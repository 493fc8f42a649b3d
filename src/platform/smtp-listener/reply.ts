import type { SmtpRefusal } from './desk.ts'
import type { Limits } from './limits.ts'

/** A reply line has 512 octets at most (RFC 5321, 4.5.3.1.5), the codes and the line end included. */
const LONGEST_TEXT = 480

/** The text of a reply with its enhanced code in front, as `Session.send` expects it. */
export const replyText = (enhanced: string, message: string) => `${enhanced} ${message.slice(0, LONGEST_TEXT)}`

export const hasEnhancedCode = (text: unknown): boolean =>
  typeof text === 'string' && /^[245]\.\d{1,3}\.\d{1,3}(?: |$)/.test(text)

/** A refusal in the form in which the library takes one from its handlers. */
export const refusalError = ({ code, enhanced, message }: SmtpRefusal) =>
  Object.assign(new Error(replyText(enhanced, message)), { responseCode: code })

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
export const TOO_MANY_MESSAGES: SmtpRefusal = {
  code: 421,
  enhanced: '4.7.0',
  message: 'Enough messages for one session, connect again',
}
export const BAD_SENDER: SmtpRefusal = { code: 553, enhanced: '5.1.7', message: 'That sender is not an address' }
export const BAD_RECIPIENT: SmtpRefusal = { code: 553, enhanced: '5.1.3', message: 'That recipient is not an address' }
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
