import type { Static } from 'typebox'
import { attachments, sendEmail } from '../../features/emails/index.ts'
import type { EmailRequest } from '../../features/emails/schema.ts'
import { markMessages } from '../../features/messages/index.ts'
import { mailpitRoute } from './definitions.ts'
import { Send } from './schema.ts'

type Mailbox = Static<typeof Send>['From']

const mailboxText = ({ Email, Name = '' }: Mailbox) =>
  Name.trim() === '' ? Email : `"${Name.trim().replace(/["\\]/g, '\\$&')}" <${Email}>`

const some = <Item>(items: readonly Item[] | undefined) => (items && items.length > 0 ? items : undefined)

/** What is left out is left out here, too: an empty list is nothing. */
function requestOf(body: Static<typeof Send>): EmailRequest {
  const { From, To, Cc, Bcc, ReplyTo, Subject = '', Text, HTML, Headers, Attachments } = body
  const lists = { to: some(To), cc: some(Cc), reply_to: some(ReplyTo) }
  const addressed = Object.entries(lists).flatMap(([name, list]) => (list ? [[name, list.map(mailboxText)]] : []))
  return {
    ...Object.fromEntries(addressed),
    from: mailboxText(From),
    subject: Subject,
    ...(some(Bcc) && { bcc: Bcc! }),
    ...(HTML ? { html: HTML } : {}),
    // A mail may say nothing at all.
    ...(Text || !HTML ? { text: Text ?? '' } : {}),
    ...(Headers && { headers: Headers }),
    ...(some(Attachments) && {
      attachments: Attachments!.map(({ Content, Filename, ContentType, ContentID }) => ({
        content: Content,
        filename: Filename,
        ...(ContentType && { content_type: ContentType }),
        ...(ContentID && { content_id: ContentID }),
      })),
    }),
  }
}

export const sendingRoute = mailpitRoute({
  id: 'send',
  route: 'POST /api/v1/send',
  access: 'send',
  // Files are base64; text and html besides.
  maxBodyBytes: attachments.MAX_ATTACHMENT_BYTES + 16 * 1024 * 1024,
  body: Send,
  async run({ body, services, actor }) {
    const { id } = await sendEmail(services, actor, { request: requestOf(body) })
    const labels = [...new Set(body.Tags)]
    if (labels.length > 0) await markMessages(services, actor, [id], { labels })
    return { ID: id }
  },
})
