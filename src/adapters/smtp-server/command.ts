import type { SmtpRefusal } from './handler.ts'

/** Of a command. An address has 254 octets, parameters some more; only what logs in may be longer (RFC 4954, 4). */
const LONGEST_COMMAND = 2_048

// What RFC 5321 and its predecessors know and we do not do. A client that tries has spoken no nonsense.
const UNIMPLEMENTED = /^(?:EXPN|TURN|ETRN|ATRN|SEND|SOML|SAML)(?:\s|$)/i

const BAD_CHARACTERS: SmtpRefusal = { code: 501, enhanced: '5.5.2', message: 'Control characters in a command' }
const TOO_LONG: SmtpRefusal = { code: 500, enhanced: '5.5.2', message: 'Line too long' }
const NOT_IMPLEMENTED: SmtpRefusal = { code: 502, enhanced: '5.5.1', message: 'Not implemented here' }

/** Why a line is refused before it is looked at as a command; null when it is not. The lines of a login are no commands. */
export function objectionTo(line: Buffer, isLogin: boolean): SmtpRefusal | null {
  // A CR inside of a command is a line end to some.
  if (hasControl(line)) return BAD_CHARACTERS
  if (isLogin) return null
  const beginning = line.toString('latin1', 0, 5)
  if (line.length > LONGEST_COMMAND && !/^AUTH\s/i.test(beginning)) return TOO_LONG
  return UNIMPLEMENTED.test(beginning) ? NOT_IMPLEMENTED : null
}

/** Whether a message comes right behind the line, as long as it says. */
export const announcesBytes = (line: Buffer): boolean => /^BDAT(?:\s|$)/i.test(line.toString('latin1', 0, 5))

// Programs in browsers can be made to write to any port; none of what they say behind this line is theirs.
const HTTP_REQUEST = /^(?:OPTIONS|GET|HEAD|POST|PUT|DELETE|TRACE|CONNECT) \/.* HTTP\/\d\.\d$/i

export const isHttp = (line: string): boolean => HTTP_REQUEST.test(line)

const TAB = 0x09

function hasControl(line: Buffer): boolean {
  for (const byte of line) if ((byte < 0x20 && byte !== TAB) || byte === 0x7f) return true
  return false
}
