import { bdat } from './chunk.ts'
import { announcesBytes, isHttp, objectionTo } from './command.ts'
import type { SmtpRefusal } from './handler.ts'
import { beginLogin, continueLogin, mayLogIn } from './login.ts'
import { type Reply, reply } from './reply.ts'
import { type DialogueSettings, respond, type State, type Step } from './state.ts'
import { data, mail, rcpt } from './transaction.ts'

type Command = <User>(state: State<User>, line: string, settings: DialogueSettings) => Step<User>

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['EHLO', ehlo],
  ['HELO', helo],
  ['STARTTLS', startTls],
  ['AUTH', beginLogin],
  ['MAIL', mail],
  ['RCPT', rcpt],
  ['DATA', data],
  ['BDAT', bdat],
  ['RSET', (state, _line, settings) => respond({ ...state, envelope: null }, reply(250, '2.0.0', 'Flushed'), settings)],
  ['NOOP', (state, _line, settings) => respond(state, reply(250, '2.0.0', 'OK'), settings)],
  ['HELP', (state, _line, settings) => respond(state, reply(214, '2.0.0', 'See RFC 5321'), settings)],
  ['VRFY', vrfy],
  ['QUIT', (state, _line, settings) => respond(state, reply(221, '2.0.0', 'Bye'), settings, { kind: 'close' })],
])

/** Of those that need a name first. BDAT does not: its bytes come first, and MAIL is missing anyway. */
const NEED_HELO: ReadonlySet<string> = new Set(['AUTH', 'MAIL', 'RCPT', 'DATA'])
/** A client that speaks another protocol is one with fewer errors than others may have. */
const MAX_UNRECOGNIZED = 10
/** RFC 5321 (4.5.3.1.2) has 255 octets. Names end up in headers and logs. */
const LONGEST_HELO = 300

const TOO_SOON: SmtpRefusal = { code: 421, enhanced: '4.7.0', message: 'You talk too soon' }
const NO_HTTP: SmtpRefusal = { code: 421, enhanced: '4.7.0', message: 'HTTP requests not allowed' }
const UNRECOGNIZED: SmtpRefusal = { code: 500, enhanced: '5.5.2', message: 'Error: command not recognized' }
const TOO_MANY_UNRECOGNIZED: SmtpRefusal = {
  code: 421,
  enhanced: '4.7.0',
  message: 'Error: too many unrecognized commands',
}
const HELO_FIRST: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'Error: send HELO/EHLO first' }
const TLS_SYNTAX: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'Error: syntax: STARTTLS' }
const TLS_NOT_OFFERED: SmtpRefusal = { code: 502, enhanced: '5.5.1', message: 'Error: STARTTLS is not offered' }
const TLS_ACTIVE: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'Error: TLS already active' }
const VRFY_SYNTAX: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'Error: Syntax: VRFY address' }

/**
 * The dialogue of SMTP (RFC 5321) as a function: what a session has come to and a line give the next state, replies, and what has
 * to be done before the next line is looked at. What only others can know comes back by `finishLogin`, `finishMail`,
 * `finishRecipient`, `finishChunk` and `finishMessage`, or by `finishTls`.
 */
export function step<User>(state: State<User>, line: Buffer, settings: DialogueSettings): Step<User> {
  if (!state.isGreeted) return respond(state, TOO_SOON, settings)
  const objection = objectionTo(line, state.login !== null)
  if (objection)
    return respond({ ...state, login: null }, objection, settings, announcesBytes(line) ? { kind: 'close' } : null)
  const text = line.toString()
  if (isHttp(text)) return respond(state, NO_HTTP, settings)
  if (state.login) return continueLogin(state, text, settings)

  const verb = /^[^ \t]*/.exec(text)![0].toUpperCase()
  const command = COMMANDS.get(verb)
  if (!command) {
    const unrecognized = state.unrecognized + 1
    const isTooMuch = unrecognized >= MAX_UNRECOGNIZED
    return respond({ ...state, unrecognized }, isTooMuch ? TOO_MANY_UNRECOGNIZED : UNRECOGNIZED, settings)
  }
  if (state.helo === '' && NEED_HELO.has(verb)) return respond(state, HELO_FIRST, settings)
  return command(state, text, settings)
}

export const greet = <User>(state: State<User>, settings: DialogueSettings): Step<User> =>
  respond({ ...state, isGreeted: true }, reply(220, '', `${settings.hostname} ESMTP`), settings)

/** After the handshake nothing of before counts (RFC 3207, 4.2), but for what the client has used up. */
export const finishTls = <User>(state: State<User>): Step<User> => ({
  state: { ...state, isEncrypted: true, helo: '', user: null, login: null, envelope: null },
  replies: [],
  effect: null,
})

function ehlo<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const name = readName(line, 'EHLO')
  if (typeof name !== 'string') return respond(state, name, settings)
  const { hostname, maxMessageBytes, offersStartTls } = settings
  const more = [
    'PIPELINING',
    '8BITMIME',
    'SMTPUTF8',
    'ENHANCEDSTATUSCODES',
    'CHUNKING',
    // Whoever tries where it is not offered hears why.
    ...(state.user === null && mayLogIn(state, settings) ? ['AUTH PLAIN LOGIN'] : []),
    ...(offersStartTls && !state.isEncrypted ? ['STARTTLS'] : []),
    `SIZE ${maxMessageBytes}`,
  ]
  return respond({ ...state, helo: name, envelope: null }, { ...reply(250, '', hostname), more }, settings)
}

function helo<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const name = readName(line, 'HELO')
  if (typeof name !== 'string') return respond(state, name, settings)
  return respond({ ...state, helo: name, envelope: null }, reply(250, '', settings.hostname), settings)
}

/** Machines have all kinds of names: an address without brackets, one of Windows. */
function readName(line: string, verb: string): string | Reply {
  const [, name, ...others] = line.trim().split(/\s+/)
  if (name === undefined || others.length > 0) return reply(501, '', `Error: syntax: ${verb} hostname`)
  return name.length > LONGEST_HELO || /\p{Cc}/u.test(name)
    ? reply(501, '', 'Error: Bad hostname syntax')
    : name.toLowerCase()
}

function startTls<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  if (line.trim().length > 'STARTTLS'.length) return respond(state, TLS_SYNTAX, settings)
  if (state.isEncrypted) return respond(state, TLS_ACTIVE, settings)
  if (!settings.offersStartTls) return respond(state, TLS_NOT_OFFERED, settings)
  return respond(state, reply(220, '2.0.0', 'Ready to start TLS'), settings, { kind: 'start TLS' })
}

function vrfy<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  if (!/\s\S/.test(line)) return respond(state, VRFY_SYNTAX, settings)
  return respond(state, reply(252, '2.1.5', 'Try to send something. No promises though'), settings)
}
