import { isAscii } from '../../mail/ascii.ts'
import { isRefusal, type SmtpRefusal } from './handler.ts'

/** What MAIL and RCPT say: an address as it was written, and the parameters of extensions. */
export interface PathCommand {
  readonly address: string
  /** By their names in capitals; true for one without a value. */
  readonly parameters: Readonly<Record<string, string | true>>
  /** One that is there twice. */
  readonly repeated: string | null
}

type PathVerb = 'MAIL FROM' | 'RCPT TO'

/** Those of the extensions that we offer. Whoever uses others counts on something that nobody will do (RFC 5321, 4.1.1.11). */
const KNOWN: Record<PathVerb, readonly string[]> = { 'MAIL FROM': ['SIZE', 'BODY', 'SMTPUTF8', 'AUTH'], 'RCPT TO': [] }

const VERB: Record<PathVerb, RegExp> = { 'MAIL FROM': /^MAIL\s+FROM\s*:\s*/i, 'RCPT TO': /^RCPT\s+TO\s*:\s*/i }

// Between the brackets a quoted local part may have anything, also brackets. A route is obsolete and has no meaning (appendix C).
const PATH = /^<(?:@[^\s,:@<>]+(?:,@[^\s,:@<>]+)*:)?((?:"(?:[^"\\]|\\.)*"|[^\s"<>])*)>/
const PARAMETER = /^([a-z0-9][a-z0-9-]*)(?:=([^\s\p{Cc}]*))?$/iu

const BAD_SYNTAX: Record<PathVerb, SmtpRefusal> = {
  'MAIL FROM': { code: 501, enhanced: '5.1.7', message: 'Syntax: MAIL FROM:<address>' },
  'RCPT TO': { code: 501, enhanced: '5.1.3', message: 'Syntax: RCPT TO:<address>' },
}
const BAD_PARAMETER: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'A parameter cannot be read' }
const UNKNOWN_PARAMETER: SmtpRefusal = { code: 555, enhanced: '5.5.4', message: 'A parameter is not known here' }
const NEEDS_SMTPUTF8: SmtpRefusal = {
  code: 553,
  enhanced: '5.6.7',
  message: 'An address that is not ASCII needs SMTPUTF8 at MAIL',
}

/** Reads the line as RFC 5321 has it, but for white space behind the colon, which many programs write. */
export function readPathCommand(verb: PathVerb, line: string): PathCommand | SmtpRefusal {
  const begin = VERB[verb].exec(line)?.[0]
  const path = begin === undefined ? null : PATH.exec(line.slice(begin.length))
  if (begin === undefined || !path) return BAD_SYNTAX[verb]
  const rest = line.slice(begin.length + path[0].length)
  if (rest !== '' && !/^\s/.test(rest)) return BAD_SYNTAX[verb]

  const parameters: Record<string, string | true> = {}
  let repeated: string | null = null
  for (const word of rest.split(/\s+/).filter((text) => text !== '')) {
    const [, name, value] = PARAMETER.exec(word) ?? []
    if (name === undefined) return BAD_PARAMETER
    const key = name.toUpperCase()
    if (!KNOWN[verb].includes(key)) return UNKNOWN_PARAMETER
    if (key in parameters) repeated = key
    parameters[key] = value || true
  }
  return { address: path[1]!, parameters, repeated }
}

/** Why a command is refused, whatever its address; null when nothing is wrong with it. */
export function objectionToPath(command: PathCommand | SmtpRefusal, allowsUtf8: boolean): SmtpRefusal | null {
  if (isRefusal(command)) return command
  return isAscii(command.address) || allowsUtf8 ? null : NEEDS_SMTPUTF8
}
