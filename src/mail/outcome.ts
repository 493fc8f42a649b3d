/** What one attempt at one recipient came to. There is no fourth case, and no exception for "it bounced". */
export type Outcome = Said & {
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
      /** Set: nobody was asked about this mail. The destination could not be talked to, or it does not take our login. */
      readonly unreachable?: 'connection' | 'login'
      /** Set: our address is refused, whatever we bring: by the destination for all mail, or for the recipient's domain. */
      readonly sourceRefusedFor?: 'destination' | 'domain'
    }
  | { readonly kind: 'bounced'; readonly reply: string; readonly bounce: Bounce }

/** There was no attempt: the way was closed for a while, and nobody has judged the mail. */
export interface Untried {
  readonly kind: 'postponed'
  readonly seconds: number
}

/** Why an address or a message was refused for good, in the words of the events. */
export interface Bounce {
  readonly type: 'Permanent' | 'Transient' | 'Undetermined'
  readonly subType:
    | 'Undetermined'
    | 'General'
    | 'NoEmail'
    | 'MailboxFull'
    | 'MessageTooLarge'
    | 'ContentRejected'
    | 'AttachmentRejected'
}
