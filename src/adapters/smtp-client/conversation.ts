import { withoutControls, withoutDirectionMarks } from '../../mail/ascii.ts'

/** The machine that a session is with, and how it is spoken with. */
export interface Peer {
  readonly host: string
  readonly address: string
  readonly port: number
  /** The address that we speak from; null: there was no connection. */
  readonly localAddress: string | null
  /** What we called ourselves; null: it did not come to that. */
  readonly heloName: string | null
  /** Null: nothing was encrypted. */
  readonly tls: PeerTls | null
}

export interface PeerTls {
  readonly version: string
  readonly cipher: string
  /** Whether the host has proved its name. */
  readonly isTrusted: boolean
}

/** Who said a line: we, the server, or nobody, where it tells what happened. */
export type DialogueSign = '>' | '<' | '*'

/** Of one text that was said. Replies can have 64 kB. */
const MAX_TEXT_LENGTH = 500
const MAX_ENTRIES = 200
/** Of a dialogue as it is kept and shown. */
const MAX_DIALOGUE_BYTES = 4_096
/** The beginning says whom we spoke with, the end why it failed: of one that is too long the middle goes. */
const MAX_BEGINNING_BYTES = 1_536
const CUT = '* …'
/** Of a summary: the end is what became of the message. */
const MAX_SUMMARY_LENGTH = 100
/** Commands in a summary. */
const INITIALS: ReadonlyMap<string, string> = new Map([
  ['EHLO', 'E'],
  ['HELO', 'H'],
  ['STARTTLS', 'S'],
  ['AUTH', 'A'],
  ['RSET', 'Z'],
  ['MAIL', 'M'],
  ['RCPT', 'R'],
  ['DATA', 'D'],
  ['BDAT', 'B'],
])
const VERBS: ReadonlyMap<string, string> = new Map([...INITIALS].map(([verb, initial]) => [initial, verb]))
const OTHER = '?'

/**
 * One attempt at one destination as it goes over the wire, with every host that is tried. What is said is only noted, and made readable when
 * somebody asks: for most mail nobody does. No part of a message is in it, and no password (`Exchange.shown`).
 */
export class Conversation {
  /** The machine that was spoken with last. */
  peer: Peer | null = null
  readonly beganMs = performance.now()
  /** When the session was open that the message went over; of one that was open before, when it was taken. */
  connectedMs: number | null = null
  /** When the end of the message was sent. */
  sentMs: number | null = null
  readonly #entries: { readonly sign: DialogueSign; readonly atMs: number; readonly text: string }[] = []

  say(text: string) {
    this.#note('>', text)
  }

  hear(text: string) {
    this.#note('<', text)
  }

  /** What happened, in words. */
  note(text: string) {
    this.#note('*', text)
  }

  /**
   * A line for each line that was said: milliseconds since the beginning, who, what. Clean, whatever the server put into it, and of a bounded
   * length.
   */
  get dialogue(): string {
    const lines = this.#entries.flatMap(({ sign, atMs, text }) =>
      text.split('\n').map((line) => `${Math.round(atMs - this.beganMs)} ${sign} ${clean(line)}`),
    )
    return shortened(lines).join('\n')
  }

  /**
   * The same in some 50 bytes: the initial of each command, and the code of each reply with its milliseconds, unless the one before came at the same
   * time. `2<220E5<250M9<250`: see `readSummary`.
   */
  get summary(): string {
    let heardMs: number | null = null
    const words = this.#entries.flatMap(({ sign, atMs, text }) => {
      if (sign === '*') return []
      if (sign === '>') return [INITIALS.get(text.split(' ', 1)[0]!) ?? OTHER]
      const ms = Math.round(atMs - this.beganMs)
      const at = ms === heardMs ? '' : ms
      heardMs = ms
      return [`${at}<${/^\d{3}/.exec(text)?.[0] ?? '000'}`]
    })
    return takeWhileFitting(words.reverse(), MAX_SUMMARY_LENGTH, ({ length }) => length)
      .reverse()
      .join('')
  }

  #note(sign: DialogueSign, text: string) {
    // The last ones matter; those at the beginning say whom we spoke with.
    if (this.#entries.length >= MAX_ENTRIES) this.#entries.splice(MAX_ENTRIES / 2, 1)
    this.#entries.push({ sign, atMs: performance.now(), text: bounded(text) })
  }
}

/** A copy of what is long: a part of a text keeps all of it in memory. */
const bounded = (text: string) =>
  text.length <= MAX_TEXT_LENGTH ? text : `${Buffer.from(text.slice(0, MAX_TEXT_LENGTH)).toString()}…`

/** Half a character cannot be stored. */
const clean = (line: string) => withoutDirectionMarks(withoutControls(line)).toWellFormed()

function shortened(lines: readonly string[]): readonly string[] {
  const bytesOf = (line: string) => Buffer.byteLength(line) + 1
  if (lines.reduce((sum, line) => sum + bytesOf(line), 0) <= MAX_DIALOGUE_BYTES) return lines
  const beginning = takeWhileFitting(lines, MAX_BEGINNING_BYTES, bytesOf)
  const left = MAX_DIALOGUE_BYTES - beginning.reduce((sum, line) => sum + bytesOf(line), bytesOf(CUT))
  const end = takeWhileFitting(lines.slice(beginning.length).reverse(), left, bytesOf).reverse()
  return [...beginning, CUT, ...end]
}

function takeWhileFitting(lines: readonly string[], maxBytes: number, bytesOf: (line: string) => number): string[] {
  let bytes = 0
  const index = lines.findIndex((line) => {
    bytes += bytesOf(line)
    return bytes > maxBytes
  })
  return lines.slice(0, index < 0 ? lines.length : index)
}

/** A summary as the dialogue that it is of. A command has the time of the reply before it. */
export function readSummary(summary: string): string {
  let ms = '0'
  return [...summary.matchAll(/(\d*)<(\d{3})|([A-Z?])/g)]
    .map(([, at, code, initial]) => {
      if (at) ms = at
      return code === undefined ? `${ms} > ${VERBS.get(initial!) ?? OTHER}` : `${ms} < ${code}`
    })
    .join('\n')
}
