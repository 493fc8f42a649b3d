/** What a received message says, as text that PostgreSQL can hold: no NUL, no half of a surrogate pair. */
export interface ParsedMail extends HeaderFields {
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly ParsedAttachment[]
  /** What was cut off or could not be read, in words; empty for sound mail. */
  readonly faults: readonly string[]
}

/** Addresses are text: `Name <a@b>` or `a@b`. */
export interface HeaderFields {
  /** Empty when there is none. */
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly replyTo: readonly string[]
  readonly subject: string | null
  /** With its angle brackets. */
  readonly messageId: string | null
  readonly date: Date | null
  /** All of them, in their order, repeated ones too. */
  readonly headers: readonly MailHeader[]
}

export interface MailHeader {
  /** In lower case. */
  readonly name: string
  /** One line, encoded words decoded. */
  readonly value: string
}

export interface ParsedAttachment {
  /** Names one file in one folder, whatever the sender wrote. */
  readonly filename: string | null
  /** In lower case, without parameters. */
  readonly contentType: string
  /** Without its angle brackets. */
  readonly contentId: string | null
  readonly disposition: 'attachment' | 'inline' | null
  readonly content: Buffer
}
