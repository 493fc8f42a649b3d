/**
 * How long a server may take, by what it was asked (RFC 5321, section 4.5.3.2). Whoever gives up earlier on a server that has the
 * whole message sends it a second copy. Before the message nothing is lost by giving up, so greeting and commands have less.
 */
export interface Timeouts {
  readonly connectMs: number
  /** For the greeting, and again for the TLS handshake. */
  readonly greetingMs: number
  /** For the reply to any command that is not named below. */
  readonly commandMs: number
  /** For each reply to MAIL and RCPT, and to the DATA that is sent with them. */
  readonly envelopeMs: number
  /** Without any of the message having been taken. */
  readonly dataBlockMs: number
  /** For the reply to the final dot. */
  readonly finalDotMs: number
  /** For one message, from MAIL to the final dot, whatever its parts take. */
  readonly transactionMs: number
}

export const TIMEOUTS: Timeouts = {
  connectMs: 30_000,
  greetingMs: 30_000,
  commandMs: 120_000,
  envelopeMs: 300_000,
  dataBlockMs: 180_000,
  finalDotMs: 600_000,
  transactionMs: 900_000,
}
