import type { MailHeader } from '../../mail/parsed.ts'

/** What a message says. */
export interface MessageContent {
  /** As it was written. */
  readonly html: string | null
  /** With the links that the recipient has, where these are tracked. */
  readonly linkedHtml: string | null
  readonly text: string | null
  readonly headers: readonly MailHeader[]
  /** As it is on the wire. Null: it is too large to be shown. */
  readonly raw: Buffer | null
}

/** Of a raw message. Larger ones are downloaded. */
export const LARGEST_RAW = 1024 * 1024

/** In characters: links, codes and images are looked for in so much of a body. Real mail ends before. */
export const LOOKED_THROUGH = 1024 * 1024
