import Type from 'typebox'
import { Id, nullable, oneOf, searchText, Timestamp, withDefault } from '../../kernel/http/shapes.ts'

const Addresses = Type.Array(Type.String())

const Disposition = nullable(oneOf(['inline', 'attachment']))

const Attachment = {
  id: Id,
  filename: nullable(Type.String()),
  size: Type.Integer(),
  content_type: Type.String(),
  content_id: nullable(Type.String()),
  content_disposition: Disposition,
}

const Checked = { result: Type.String({ examples: ['pass'] }), domain: nullable(Type.String()) }

/** What the checks of the message said; null until they were asked. */
const Authentication = Type.Object(
  {
    spf: Type.Object(Checked),
    dkim: Type.Array(Type.Object({ ...Checked, selector: nullable(Type.String()) })),
    dmarc: Type.Object({ ...Checked, policy: nullable(Type.String()) }),
    arc: Type.Object({ result: Type.String() }),
  },
  { title: 'Authentication' },
)

export const ReceivedEmailItem = Type.Object(
  {
    id: Id,
    from: Type.String(),
    to: Addresses,
    cc: Addresses,
    bcc: Addresses,
    reply_to: Addresses,
    received_for: Type.Array(Type.String(), { description: 'The envelope recipients of the message.' }),
    subject: nullable(Type.String()),
    message_id: Type.String(),
    created_at: Timestamp,
    authentication: nullable(Authentication),
    attachments: Type.Array(Type.Object(Attachment)),
  },
  { title: 'ReceivedEmailItem' },
)

/** What `q` can say of received emails. */
export const RECEIVED_OPERATORS = ['to', 'from', 'subject', 'before', 'after', 'has'] as const

export const ReceivedEmailFilter = Type.Object({
  q: Type.Optional(searchText(RECEIVED_OPERATORS, 'words of the subject, parts of addresses and names')),
})

export const HTML_FORMATS = ['data_uri', 'cid'] as const

export const ReceivedEmailQuery = Type.Object({
  html_format: Type.Optional(withDefault(oneOf(HTML_FORMATS), 'data_uri')),
})

export const ReceivedEmail = Type.Object(
  {
    object: Type.Literal('email'),
    ...ReceivedEmailItem.properties,
    // In the list it may be null, and clients know it so.
    subject: Type.String(),
    created_at: Type.String({ description: 'ISO 8601.' }),
    html: nullable(Type.String()),
    text: nullable(Type.String()),
    headers: Type.Record(Type.String(), Type.String()),
    html_format: oneOf(HTML_FORMATS),
    raw: Type.Object({ download_url: Type.String(), expires_at: Type.String({ description: 'ISO 8601.' }) }),
  },
  { title: 'ReceivedEmail' },
)

/** What the message said of the attachment, filled up to what clients take it for: no `null` in it. */
export const ReceivedAttachmentItem = Type.Object(
  {
    ...Attachment,
    filename: Type.Optional(Type.String()),
    content_id: Type.Optional(Type.String()),
    content_disposition: oneOf(['inline', 'attachment']),
    download_url: Type.String(),
    expires_at: Type.String({ description: 'ISO 8601.' }),
  },
  { title: 'ReceivedAttachment' },
)

export const RetrievedReceivedAttachment = Type.Object({
  object: Type.Literal('attachment'),
  ...ReceivedAttachmentItem.properties,
})
