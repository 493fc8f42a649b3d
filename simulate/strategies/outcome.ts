import type { Answer } from './pacer.ts'

export const isTaken = ({ code }: Answer) => code >= 200 && code < 300
/** As senders read it who go by the first digit. */
export const isBounced = ({ code }: Answer) => code >= 500
/** As it stands on the wire. */
export const replyLine = ({ code, enhanced, text }: Answer) => `${code} ${enhanced ? `${enhanced} ` : ''}${text}`

const MINUTE_MS = 60_000

/** `20m` after the first attempt, twice as long after each further one. */
export const doubling = (firstMinutes: number, attempts: number) =>
  firstMinutes * MINUTE_MS * 2 ** Math.min(attempts - 1, 10)
