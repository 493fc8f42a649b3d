import type { SmtpError } from './failure.ts'
import type { Reply } from './reply-reader.ts'

/** What comes next in an exchange. */
export type Step<Result> =
  /** Each line is a command with one reply. `withinMs`: how long each reply may take, where that is not the usual. */
  | { readonly kind: 'say'; readonly lines: readonly string[]; readonly withinMs?: number }
  /** The server speaks first. */
  | { readonly kind: 'listen'; readonly withinMs: number }
  /** There are replies to come to what was said before. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'encrypt'; readonly withinMs: number; readonly then: () => Step<Result> }
  /**
   * `mayEnd` is asked last before the end of the message is sent. Without a yes it never is, and the connection is over. `onSent` is
   * called when the system has taken all of it; from then on the reply may take `withinMs`.
   */
  | {
      readonly kind: 'message'
      readonly message: Buffer
      readonly mayEnd: () => boolean
      readonly onSent: () => void
      readonly withinMs: number
    }
  /** `isEnd`: the connection is of no use any more. */
  | { readonly kind: 'done'; readonly result: Result; readonly isEnd?: boolean }

/**
 * One part of the dialogue with a server: setting up, logging in, a message, the farewell. It turns replies into what comes
 * next and does no I/O; `Connection` does what it says.
 */
export interface Exchange<Result> {
  begin(): Step<Result>
  take(reply: Reply): Step<Result>
  /**
   * The connection or the time is over. `error.response` is a refusal that nobody was waiting for, or one that was cut off; `begunYes` is
   * the beginning of a yes that has not come to its end.
   */
  lost(error: SmtpError, begunYes?: string | null): Result
  /** What may be shown of a line that was said or heard, where that is not all of it. */
  shown?(line: string): string
}

export const WAIT = { kind: 'wait' } as const

export const say = (...lines: readonly string[]) => ({ kind: 'say', lines }) as const

export const done = <Result>(result: Result, { isEnd = false } = {}) => ({ kind: 'done', result, isEnd }) as const
