export interface Mailbox {
  /** As people read it, not encoded. */
  readonly name: string | null
  readonly address: string
}

export interface Attachment {
  readonly filename: string | null
  readonly contentType: string
  readonly contentId: string | null
  readonly content: Buffer
}

/** A message before it is bytes. Blind copies are not in here: they belong to the envelope. */
export interface Message {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc: readonly Mailbox[]
  readonly replyTo: readonly Mailbox[]
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Custom headers, checked before: no line breaks, none that we own. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** With a content id: shown inside the html (`cid:`); without: attached. */
  readonly attachments: readonly Attachment[]
}

/** Time and identity are handed in, so that the same message always gives the same bytes. */
export interface Stamp {
  /** With its angle brackets. */
  readonly messageId: string
  readonly date: Date
  /** What the boundaries between parts are made of; unique to the message. */
  readonly seed: string
}
