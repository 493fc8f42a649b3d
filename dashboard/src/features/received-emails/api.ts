import { api, type ListReply } from '../../api.ts'

// The shapes of GET /emails/receiving. The fields that are not in the contract are optional here.

interface Checked {
  readonly result: string
  readonly domain?: string | null
}

export interface Authentication {
  readonly spf?: Checked
  readonly dkim?: readonly (Checked & { readonly selector?: string | null })[]
  readonly dmarc?: Checked & { readonly policy?: string | null }
}

export interface ReceivedRow {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[] | null
  readonly received_for?: readonly string[]
  readonly subject: string | null
  readonly message_id: string
  readonly created_at: string
  readonly authentication?: Authentication | null
  readonly attachments: readonly { readonly id: string }[]
}

export interface ReceivedEmail extends ReceivedRow {
  readonly reply_to: readonly string[] | null
  readonly html: string | null
  readonly text: string | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly raw: { readonly download_url: string } | null
}

export interface ReceivedAttachment {
  readonly id: string
  readonly filename: string | null
  readonly size: number
  readonly content_type: string
  readonly download_url: string
}

/** With inline images inside the html: the frame that shows it fetches nothing. */
export const readReceived = (id: string) =>
  api.get<ReceivedEmail>(`/emails/receiving/${id}`, { html_format: 'data_uri' })

export const readReceivedAttachments = (id: string) =>
  api.get<ListReply<ReceivedAttachment>>(`/emails/receiving/${id}/attachments`).then(({ data }) => data)
