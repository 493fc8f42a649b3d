import type { Static } from 'typebox'
import type {
  ReceivedAttachmentItem,
  ReceivedEmail,
  ReceivedEmailItem,
} from '../../../../src/resources/received-emails/schema.ts'
import { api, type ListReply } from '../../api.ts'

export type ReceivedRow = Static<typeof ReceivedEmailItem>
export type FullReceived = Static<typeof ReceivedEmail>
export type Authentication = ReceivedRow['authentication']

/** With inline images inside the html: the frame that shows it fetches nothing. */
export const readReceived = (id: string) =>
  api.get<FullReceived>(`/emails/receiving/${id}`, { html_format: 'data_uri' })

export const readReceivedAttachments = (id: string) =>
  api
    .get<ListReply<Static<typeof ReceivedAttachmentItem>>>(`/emails/receiving/${id}/attachments`, { limit: 100 })
    .then(({ data }) => data)
