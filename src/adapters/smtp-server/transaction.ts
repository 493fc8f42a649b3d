import { readEnvelopeAddress } from './envelope-address.ts'
import { isRefusal, type SmtpAnswer, type SmtpRefusal } from './handler.ts'
import { objectionToPath, type PathCommand, readPathCommand } from './path-command.ts'
import { INSUFFICIENT_STORAGE, reply } from './reply.ts'
import { type DialogueSettings, type Envelope, respond, type State, type Step } from './state.ts'

/** Less room than this is none. */
const MIN_FREE_BYTES = 64 * 1024

const BAD_SENDER: SmtpRefusal = { code: 553, enhanced: '5.1.7', message: 'Invalid sender address' }
const BAD_RECIPIENT: SmtpRefusal = { code: 553, enhanced: '5.1.3', message: 'Invalid recipient address' }
const NO_RECIPIENT: SmtpRefusal = { code: 501, enhanced: '5.1.3', message: 'Error: Bad recipient address syntax' }
const NESTED: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'Error: nested MAIL command' }
export const MAIL_FIRST: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'Error: need MAIL command' }
export const RCPT_FIRST: SmtpRefusal = { code: 503, enhanced: '5.5.1', message: 'RCPT first' }
const CHUNKS_BEGUN: SmtpRefusal = {
  code: 503,
  enhanced: '5.5.1',
  message: 'BDAT transfer in progress; send RSET to start over',
}
const TOO_MANY_MESSAGES: SmtpRefusal = {
  code: 421,
  enhanced: '4.7.0',
  message: 'Too many messages in one session, reconnect',
}
const TOO_MANY_RECIPIENTS: SmtpRefusal = { code: 452, enhanced: '4.5.3', message: 'Error: too many recipients' }

const badParameter = (message: string): SmtpRefusal => ({ code: 501, enhanced: '5.5.4', message })

export function mail<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const refuse = (refusal: SmtpRefusal) => respond(state, refusal, settings)
  const command = readPathCommand('MAIL FROM', line)
  if (isRefusal(command)) return refuse(command)
  const { parameters } = command
  const allowsUtf8 = 'SMTPUTF8' in parameters
  const objection = objectionToPath(command, allowsUtf8) ?? objectionToParameters(command, settings)
  if (objection) return refuse(objection)
  if (state.envelope) return refuse(NESTED)
  const from = readEnvelopeAddress(command.address)
  if (from === null) return refuse(BAD_SENDER)
  if (state.messages >= settings.limits.messagesPerSession) return refuse(TOO_MANY_MESSAGES)

  const announcedBytes = Number(parameters.SIZE ?? 0)
  const envelope = { from, allowsUtf8, announcedBytes, recipients: [], chunks: null }
  // Only a login can have ended meanwhile.
  if (state.user === null && !settings.checksSenders) return finishMail(state, envelope, null, settings)
  return { state, replies: [], effect: { kind: 'begin message', envelope } }
}

function objectionToParameters({ parameters, repeated }: PathCommand, settings: DialogueSettings): SmtpRefusal | null {
  const { SIZE: size, BODY: body, SMTPUTF8: utf8 } = parameters
  if (repeated !== null) return badParameter(`Error: duplicate ${repeated} parameter`)
  if (size === true || body === true) return badParameter('Error: SIZE and BODY need a value')
  if (size !== undefined && !/^\d{1,20}$/.test(size)) return badParameter('Error: Bad message size syntax')
  // BINARYMIME is not offered: it may not be passed on to servers without it.
  if (body !== undefined && !/^(?:7BIT|8BITMIME)$/i.test(body))
    return badParameter('Invalid BODY parameter value. Must be 7BIT or 8BITMIME')
  if (utf8 !== undefined && utf8 !== true) return badParameter('SMTPUTF8 takes no value')
  if (Number(size ?? 0) <= settings.maxMessageBytes) return null
  const message = `Error: message exceeds fixed maximum message size ${settings.maxMessageBytes}`
  return { code: 552, enhanced: '5.3.4', message }
}

/** The answer to `begin message`: null when the client's login is as good as it was. */
export const finishMail = <User>(
  state: State<User>,
  envelope: Envelope,
  refusal: SmtpRefusal | null,
  settings: DialogueSettings,
): Step<User> =>
  refusal
    ? respond(state, refusal, settings)
    : respond({ ...state, envelope }, reply(250, '2.1.0', 'Accepted'), settings)

export function rcpt<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const refuse = (refusal: SmtpRefusal) => respond(state, refusal, settings)
  const { envelope } = state
  const command = readPathCommand('RCPT TO', line)
  if (isRefusal(command)) return refuse(command)
  const objection = objectionToPath(command, envelope?.allowsUtf8 === true)
  if (objection) return refuse(objection)
  if (command.address === '') return refuse(NO_RECIPIENT)
  if (!envelope) return refuse(MAIL_FIRST)
  if (envelope.chunks) return refuse(CHUNKS_BEGUN)
  const recipient = readEnvelopeAddress(command.address)
  if (!recipient) return refuse(BAD_RECIPIENT)
  const { recipients } = envelope
  if (recipients.length >= settings.limits.recipients && indexOfRecipient(recipient, recipients) < 0)
    return refuse(TOO_MANY_RECIPIENTS)
  return { state, replies: [], effect: { kind: 'check recipient', recipient } }
}

/** The answer to `check recipient`. One that is named twice is one. */
export function finishRecipient<User>(
  state: State<User>,
  recipient: string,
  refusal: SmtpRefusal | null,
  settings: DialogueSettings,
): Step<User> {
  if (refusal) return respond(state, refusal, settings)
  const envelope = state.envelope!
  const index = indexOfRecipient(recipient, envelope.recipients)
  const recipients = index < 0 ? [...envelope.recipients, recipient] : envelope.recipients.with(index, recipient)
  return respond({ ...state, envelope: { ...envelope, recipients } }, reply(250, '2.1.5', 'Accepted'), settings)
}

function indexOfRecipient(recipient: string, recipients: readonly string[]): number {
  const key = recipient.toLowerCase()
  return recipients.findIndex((other) => other.toLowerCase() === key)
}

export function data<User>(state: State<User>, _line: string, settings: DialogueSettings): Step<User> {
  const { envelope } = state
  if (envelope?.chunks) return respond(state, CHUNKS_BEGUN, settings)
  if (!envelope || envelope.recipients.length === 0) return respond(state, RCPT_FIRST, settings)
  if (!hasStorageFor(envelope.announcedBytes, settings)) return respond(state, INSUFFICIENT_STORAGE, settings)
  return respond(state, reply(354, '', 'End data with <CR><LF>.<CR><LF>'), settings, { kind: 'read message' })
}

export const hasStorageFor = (bytes: number, { freeBytes }: DialogueSettings): boolean =>
  freeBytes >= Math.max(bytes, MIN_FREE_BYTES)

/** What became of a message that came to its end. One that was taken makes up for all errors before it. */
export function finishMessage<User>(state: State<User>, answer: SmtpAnswer, settings: DialogueSettings): Step<User> {
  const next = { ...state, envelope: null, messages: state.messages + 1, unrecognized: 0 }
  if (answer.kind === 'refused') return respond(next, answer, settings)
  return respond({ ...next, errors: 0 }, reply(250, '2.0.0', answer.message), settings)
}
