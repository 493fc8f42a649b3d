import type { SmtpRefusal } from './handler.ts'
import type { Limits } from './limits.ts'
import type { Reply } from './reply.ts'

/** What a session has come to. Never changed: each step makes the next one. */
export interface State<User> {
  /** Who talks before the greeting is no mail server. */
  readonly isGreeted: boolean
  readonly isEncrypted: boolean
  /** What the client calls itself; empty before HELO or EHLO. */
  readonly helo: string
  readonly user: User | null
  /** An AUTH that waits for its next line. */
  readonly login: Login | null
  /** From MAIL to the end of the message. */
  readonly envelope: Envelope | null
  /** Messages that came to their end, taken or not. */
  readonly messages: number
  /** Replies of 5xx since a message was taken. */
  readonly errors: number
  /** Lines since the last message whose verb nobody knows. */
  readonly unrecognized: number
  readonly failedLogins: number
}

export type Login =
  | { readonly awaits: 'token' }
  | { readonly awaits: 'username' }
  | { readonly awaits: 'password'; readonly username: string }

export interface Envelope {
  readonly from: string
  readonly allowsUtf8: boolean
  /** The SIZE of MAIL, or 0. */
  readonly announcedBytes: number
  readonly recipients: readonly string[]
  /** Null before the first BDAT. */
  readonly chunks: Chunks | null
}

/** The part of a message that has come by BDAT. */
export interface Chunks {
  readonly bytes: number
  /** Why one of them was refused. So are all that follow (RFC 3030, 2): without it the message would have a hole. */
  readonly failure: SmtpRefusal | null
}

/** What a session asks of those around it. Each but `close` is answered by one of the functions that are named `finish…`. */
export type Effect =
  | { readonly kind: 'start TLS' }
  | {
      readonly kind: 'log in'
      readonly username: string
      readonly password: string
      /** Before a no is said. */
      readonly delayMs: number
    }
  | { readonly kind: 'begin message'; readonly envelope: Envelope }
  | { readonly kind: 'check recipient'; readonly recipient: string }
  | { readonly kind: 'read message' }
  | {
      readonly kind: 'read chunk'
      readonly bytes: number
      readonly isLast: boolean
      /** What is said once the bytes have been read past. */
      readonly refusal: SmtpRefusal | null
    }
  | { readonly kind: 'close' }

export type ReadChunk = Extract<Effect, { readonly kind: 'read chunk' }>

/** The replies are sent first. */
export interface Step<User> {
  readonly state: State<User>
  readonly replies: readonly Reply[]
  readonly effect: Effect | null
}

export interface DialogueSettings {
  /** What we call ourselves. */
  readonly hostname: string
  readonly maxMessageBytes: number
  readonly allowPlaintextAuth: boolean
  readonly offersStartTls: boolean
  readonly limits: Pick<Limits, 'recipients' | 'messagesPerSession' | 'errors' | 'failedLogins' | 'loginDelayMs'>
  /** Room for messages at the moment. */
  readonly freeBytes: number
  /** Senders are asked about, also those of clients that have not logged in. */
  readonly checksSenders?: boolean
}

export const NEW_STATE: State<never> = {
  isGreeted: false,
  isEncrypted: false,
  helo: '',
  user: null,
  login: null,
  envelope: null,
  messages: 0,
  errors: 0,
  unrecognized: 0,
  failedLogins: 0,
}

const TOO_MANY_ERRORS: Reply = { code: 421, enhanced: '4.7.0', message: 'Too many errors' }

/** Every reply goes through here: permanent refusals are counted, and 421 is the last word wherever it comes from. */
export function respond<User>(
  state: State<User>,
  reply: Reply,
  { limits }: Pick<DialogueSettings, 'limits'>,
  effect: Effect | null = null,
): Step<User> {
  const errors = state.errors + (reply.code >= 500 ? 1 : 0)
  const isTooMuch = reply.code >= 500 && errors >= limits.errors
  return {
    state: errors === state.errors ? state : { ...state, errors },
    replies: isTooMuch ? [reply, TOO_MANY_ERRORS] : [reply],
    effect: isTooMuch || reply.code === 421 ? { kind: 'close' } : effect,
  }
}
