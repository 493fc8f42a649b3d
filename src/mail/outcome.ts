import type { ReplyAbout, ReplyClass, ReplyMeans } from './reply-class.ts'

/** What a reply that was no yes was understood as: see `classify`. */
export interface ReplyClassification {
  readonly class?: ReplyClass
  /** The rule that decided. */
  readonly rule?: string
  /** Whom the reply speaks of; null when it does not say. */
  readonly about?: ReplyAbout | null
  readonly means?: ReplyMeans
  /** How long to leave alone what it is about, if that is known. */
  readonly pauseSeconds?: number
}

/** Of something that was said, what it was understood as. */
export const classificationIn = ({
  class: replyClass,
  rule,
  about,
  means,
  pauseSeconds,
}: ReplyClassification): ReplyClassification => ({
  ...(replyClass && { class: replyClass }),
  ...(rule !== undefined && { rule }),
  ...(about !== undefined && { about }),
  ...(means && { means }),
  ...(pauseSeconds !== undefined && { pauseSeconds }),
})

/** What one attempt at one recipient came to. There is no fourth case, and no exception for "it bounced". */
export type Outcome = Said &
  ReplyClassification & {
    /** The name of the machine that said so, if one was asked. */
    readonly host?: string
    /** What that machine said, in its own words, where `reply` is ours. */
    readonly serverReply?: string
  }

type Said =
  | { readonly kind: 'delivered'; readonly reply: string }
  | {
      readonly kind: 'deferred'
      readonly reply: string
      /** The destination wants less of us: nothing is wrong with the message or the recipient. */
      readonly isThrottled: boolean
      /** When trying again makes sense, if it is known. */
      readonly retryAfterSeconds?: number
      /** When trying again will do, to the second, whatever others would wait. */
      readonly retryAtSeconds?: number
      /** Set: nobody was asked about this mail. The destination could not be talked to, does not take our login, or cannot be trusted with it. */
      readonly unreachable?: Unreachable
      /** The message was sent to its end, and what was said to it is lost: it may have been taken. */
      readonly isUncertain?: true
      /** Of one of several routes: it stays with this one, which may have taken it. */
      readonly pinnedTo?: string
      /** Set: our address is refused, whatever we bring: by the destination for all mail, or for the recipient's domain. */
      readonly sourceRefusedFor?: 'destination' | 'domain'
    }
  | { readonly kind: 'bounced'; readonly reply: string; readonly bounce: Bounce }

/** `refused`: it answers, and takes no mail of ours at all. */
export type Unreachable = 'connection' | 'login' | 'tls' | 'refused'

/** There was no attempt: the way was closed for a while, and nobody has judged the mail. */
export interface Untried {
  readonly kind: 'postponed'
  readonly seconds: number
}

export const BOUNCE_TYPES = ['Permanent', 'Transient', 'Undetermined'] as const
export const BOUNCE_SUBTYPES = [
  ...['Undetermined', 'General', 'NoEmail', 'MailboxFull', 'MessageTooLarge'],
  ...['ContentRejected', 'AttachmentRejected'],
] as const

/** Why an address or a message was refused for good, in the words of the events. */
export interface Bounce {
  readonly type: (typeof BOUNCE_TYPES)[number]
  readonly subType: (typeof BOUNCE_SUBTYPES)[number]
}
