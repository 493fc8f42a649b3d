import type { SmtpRefusal } from './handler.ts'
import { INSUFFICIENT_STORAGE, reply, tooLarge } from './reply.ts'
import { type DialogueSettings, type ReadChunk, respond, type State, type Step } from './state.ts'
import { finishMessage, hasStorageFor, MAIL_FIRST, RCPT_FIRST } from './transaction.ts'

// 15 digits are a number that JavaScript can count to.
const BDAT = /^BDAT\s+(\d{1,15})(?:\s+(LAST))?\s*$/i

const BAD_SYNTAX: SmtpRefusal = { code: 501, enhanced: '5.5.4', message: 'Syntax: BDAT bytes [LAST]' }

/**
 * BDAT (RFC 3030). Its bytes are behind it, whatever we think of it, and nobody has waited for our reply. So they are read past
 * before it is refused; and when it does not say how many they are, the session is over: what follows could be a message, and
 * would be heard as commands.
 */
export function bdat<User>(state: State<User>, line: string, settings: DialogueSettings): Step<User> {
  const [, digits, last] = BDAT.exec(line) ?? []
  if (digits === undefined) return respond(state, BAD_SYNTAX, settings, { kind: 'close' })
  const bytes = Number(digits)
  const refusal = objectionToChunk(state, bytes, settings)
  const { envelope } = state
  const received = (envelope?.chunks?.bytes ?? 0) + bytes
  const next = envelope && { ...envelope, chunks: { bytes: received, failure: refusal } }
  return {
    state: { ...state, envelope: next },
    replies: [],
    effect: { kind: 'read chunk', bytes, isLast: last !== undefined, refusal },
  }
}

function objectionToChunk({ envelope }: State<unknown>, bytes: number, settings: DialogueSettings): SmtpRefusal | null {
  if (!envelope) return MAIL_FIRST
  if (envelope.recipients.length === 0) return RCPT_FIRST
  if (envelope.chunks?.failure) return envelope.chunks.failure
  const received = envelope.chunks?.bytes ?? 0
  if (received + bytes > settings.maxMessageBytes) return tooLarge(settings.maxMessageBytes)
  if (!envelope.chunks && !hasStorageFor(Math.max(bytes, envelope.announcedBytes), settings))
    return INSUFFICIENT_STORAGE
  return null
}

/** The answer to `read chunk`, but for the last one of a message that is whole: that has `finishMessage`. */
export function finishChunk<User>(
  state: State<User>,
  { bytes, isLast }: ReadChunk,
  refusal: SmtpRefusal | null,
  settings: DialogueSettings,
): Step<User> {
  const { envelope } = state
  if (refusal && envelope && isLast) return finishMessage(state, { kind: 'refused', ...refusal }, settings)
  if (!refusal) return respond(state, reply(250, '2.0.0', `${bytes} bytes received`), settings)
  const chunks = { bytes: envelope?.chunks?.bytes ?? 0, failure: refusal }
  return respond({ ...state, envelope: envelope && { ...envelope, chunks } }, refusal, settings)
}
