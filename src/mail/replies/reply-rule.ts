import type { Bounce } from '../outcome.ts'
import type { ReplyAbout, ReplyClass, ReplyMeans } from '../reply-class.ts'

/** What tells one kind of reply, and what it is. All conditions that a rule names have to hold. */
export interface ReplyRule {
  /** `provider/name`, or `group/name` for those of everybody. It is stored with the reply, and shown. */
  readonly id: string
  /** Whose words these are. They are looked for first in replies of this provider, and in those of others too: relays repeat what they were told. */
  readonly provider?: string
  /** How the code begins: `4`, `55`, `421`. */
  readonly code?: string
  /** The enhanced code without its first digit: `7.28`, or how it begins: `7.`. */
  readonly enhanced?: string
  readonly words?: RegExp
  /** Words that make it another matter. */
  readonly except?: RegExp
  readonly class: ReplyClass
  /** Where it is not what the class says. */
  readonly about?: ReplyAbout | null
  readonly means?: ReplyMeans
  readonly bounce?: Bounce
  /** How long the provider asks to be left alone. */
  readonly pauseSeconds?: number
}

/** The phrases in one pattern. */
export const any = (...phrases: (RegExp | string)[]) =>
  new RegExp(phrases.map((phrase) => (typeof phrase === 'string' ? phrase : phrase.source)).join('|'))
