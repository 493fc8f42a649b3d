/** A received or sent email on its way into an inbox. */
export interface FiledMessage {
  readonly team: string
  readonly inbox: string
  /** Of the received or the sent email. */
  readonly id: string
  readonly direction: 'inbound' | 'outbound'
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly bcc: readonly string[]
  readonly replyTo: readonly string[]
  readonly subject: string | null
  /** Its own, with angle brackets; null: it has none. */
  readonly messageId: string | null
  /** The Message-IDs that it names in References and In-Reply-To, the oldest first. */
  readonly references: readonly string[]
  /** The name that Outlook gives its conversation; null: none. */
  readonly conversation: string | null
  readonly attachments: readonly MessageFile[]
  /** How its text begins, as far as it is searched. */
  readonly text: string
  /** What its Date says, at most `createdAt`. */
  readonly sentAt: Date
  /** When it came, in the time of the team. */
  readonly createdAt: Date
}

export interface MessageFile {
  readonly id: string
  readonly filename: string | null
  readonly size: number | null
  readonly content_type: string
}

/** Who changes something in an inbox. */
export type ChangeSource = 'api' | 'dashboard' | 'agent' | 'system'
