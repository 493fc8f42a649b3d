import type { MailHeader } from '../../mail/parsed.ts'

/** What a message says. */
export interface MessageContent {
  readonly html: string | null
  readonly text: string | null
  readonly headers: readonly MailHeader[]
  /** As it is on the wire. Null: it is too large to be shown. */
  readonly raw: Buffer | null
}

/** Of a raw message. Larger ones are downloaded. */
export const LARGEST_RAW = 1024 * 1024
