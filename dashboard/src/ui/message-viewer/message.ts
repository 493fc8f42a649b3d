import type { Reply } from '../../api.ts'

/** A mail as a message, sent or received: with links, codes, headers and its source. */
export type FullMessage = Reply<'messages.get'>

/** As much of a mail as every page about it has at once. */
export interface MailContent {
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly MailAttachment[]
}

export interface MailAttachment {
  readonly id: string
  readonly filename?: string | null
  readonly content_type: string
  readonly content_id?: string | null
  readonly content_disposition?: string | null
  readonly size: number
  readonly download_url: string
}
