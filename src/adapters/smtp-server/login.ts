import type { SmtpRefusal } from './handler.ts'
import { type Reply, reply } from './reply.ts'
import { type DialogueSettings, respond, type State, type Step } from './state.ts'

const MAX_DELAY_MS = 15_000

const NEEDS_TLS: SmtpRefusal = { code: 538, enhanced: '5.7.11', message: 'Encryption is required for authentication' }
const AFTER_MAIL: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'AUTH is not allowed after MAIL' }
const LOGGED_IN: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'Error: No identity changes permitted' }
const UNKNOWN_METHOD: SmtpRefusal = {
  code: 504,
  enhanced: '5.5.4',
  message: 'Error: Unrecognized authentication type',
}
const BAD_SYNTAX: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'Syntax: AUTH method [response]' }
const BAD_RESPONSE: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'Error: invalid userdata' }
const ABORTED: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'Authentication aborted' }
const TOO_MANY_LOGINS: SmtpRefusal = { code: 421, enhanced: '4.7.0', message: 'Too many failed logins' }

const ASK_FOR_TOKEN: Reply = reply(334, '', '')
const ASK_FOR_USERNAME: Reply = reply(334, '', base64('Username:'))
const ASK_FOR_PASSWORD: Reply = reply(334, '', base64('Password:'))

/** Names are shown and logged by some. Passwords may have anything. */
const CONTROL = /\p{Cc}/u

export const mayLogIn = (state: State<unknown>, settings: DialogueSettings): boolean =>
  state.isEncrypted || settings.allowPlaintextAuth

export function beginLogin<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const [, method = '', response, ...others] = line.trim().split(/\s+/)
  const refuse = (refusal: SmtpRefusal) => respond(state, refusal, settings)
  if (!mayLogIn(state, settings)) return refuse(NEEDS_TLS)
  // RFC 4954, 4: recipients were checked for somebody else.
  if (state.envelope) return refuse(AFTER_MAIL)
  if (state.user !== null) return refuse(LOGGED_IN)
  const isPlain = method.toUpperCase() === 'PLAIN'
  if (!isPlain && method.toUpperCase() !== 'LOGIN') return refuse(UNKNOWN_METHOD)
  if (others.length > 0) return refuse(BAD_SYNTAX)
  if (response !== undefined)
    return isPlain ? readToken(state, response, settings) : readUsername(state, response, settings)
  if (isPlain) return respond({ ...state, login: { awaits: 'token' } }, ASK_FOR_TOKEN, settings)
  return respond({ ...state, login: { awaits: 'username' } }, ASK_FOR_USERNAME, settings)
}

/** A line that is the client's answer to a 334. */
export function continueLogin<User>(before: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const state = { ...before, login: null }
  const response = line.trim()
  if (response === '*') return respond(state, ABORTED, settings)
  if (before.login?.awaits === 'token') return readToken(state, response, settings)
  if (before.login?.awaits === 'username') return readUsername(state, response, settings)
  return logIn(state, before.login?.username ?? '', decode(response), settings)
}

/** PLAIN (RFC 4616). Some clients give the name as the one to act for, and none of their own. */
function readToken<User>(state: State<User>, token: string, settings: DialogueSettings): Step<User> {
  const [actFor = '', name = '', password, ...others] = decode(token).split('\0')
  if (password === undefined || others.length > 0 || CONTROL.test(actFor + name))
    return respond(state, BAD_RESPONSE, settings)
  return logIn(state, name || actFor, password, settings)
}

function readUsername<User>(state: State<User>, response: string, settings: DialogueSettings): Step<User> {
  const username = decode(response)
  if (username === '' || CONTROL.test(username)) return respond(state, BAD_RESPONSE, settings)
  return respond({ ...state, login: { awaits: 'password', username } }, ASK_FOR_PASSWORD, settings)
}

function logIn<User>(state: State<User>, username: string, password: string, { limits }: DialogueSettings): Step<User> {
  const delayMs = Math.min(limits.loginDelayMs * 2 ** state.failedLogins, MAX_DELAY_MS)
  return { state, replies: [], effect: { kind: 'log in', username, password, delayMs } }
}

/** The answer to `log in`. */
export function finishLogin<User>(
  state: State<User>,
  result: { readonly user: User } | SmtpRefusal,
  settings: DialogueSettings,
): Step<User> {
  if ('user' in result)
    return respond({ ...state, user: result.user }, reply(235, '2.7.0', 'Authentication successful'), settings)
  if (result.code < 500) return respond(state, result, settings)
  const failedLogins = state.failedLogins + 1
  return respond(
    { ...state, failedLogins },
    failedLogins < settings.limits.failedLogins ? result : TOO_MANY_LOGINS,
    settings,
  )
}

/** Whether a user is still one. Who may not log in any more is unauthenticated from here on. */
export function renewLogin<User>(state: State<User>, result: { readonly user: User } | SmtpRefusal): State<User> {
  if ('user' in result) return { ...state, user: result.user }
  return result.code >= 500 ? { ...state, user: null } : state
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString()
}
