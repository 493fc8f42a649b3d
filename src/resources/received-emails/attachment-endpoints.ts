import Type, { type Static } from 'typebox'
import { columnsOf } from '../../http/columns.ts'
import { DOWNLOAD_LINK_MS } from '../../http/download.ts'
import { type Context, endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { found } from '../../http/problem.ts'
import { findRow, type Rows } from '../../http/rows.ts'
import { Id, IdParams, present } from '../../http/shapes.ts'
import { sql } from '../../platform/db/sql.ts'
import { requireReceived } from './actions.ts'
import { ReceivedAttachmentItem, RetrievedReceivedAttachment } from './schema.ts'

/** The links are made by the database: `download_url` is the address, a signed token for the message, and the attachment's id. */
async function attachmentRows(context: Context, email: string): Promise<Rows> {
  await requireReceived(context, email)
  const { team, clock, mail } = context
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = mail.links.sign('received-attachments', { team, email }, expiresAt, mail.publicUrl)
  return {
    columns: columnsOf(ReceivedAttachmentItem, 'a', {
      size: sql`a.size::int`,
      content_disposition: sql`coalesce(a.content_disposition, 'attachment')`,
      download_url: sql`${`${mail.publicUrl}/downloads/received/${token}/attachments/`}::text || a.id`,
      expires_at: sql`iso_time(${expiresAt}::timestamptz)`,
    }),
    from: sql`received_attachments a`,
    where: sql`a.team_id = ${team} and a.received_id = ${email}`,
    id: sql`a.id`,
    omitsNulls: true,
  }
}

export const receivedAttachmentEndpoints = [
  list({
    id: 'emails.receiving.attachments.list',
    route: 'GET /emails/receiving/:id/attachments',
    summary: 'List the attachments of a received email',
    params: IdParams,
    item: ReceivedAttachmentItem,
    unlimited: 'all',
    rows: ({ params, context }) => attachmentRows(context, params.id),
  }),
  endpoint({
    id: 'emails.receiving.attachments.get',
    route: 'GET /emails/receiving/:id/attachments/:attachmentId',
    summary: 'Retrieve an attachment of a received email',
    params: Type.Object({ id: Id, attachmentId: Id }),
    reply: RetrievedReceivedAttachment,
    async run({ params, context }) {
      const rows = await attachmentRows(context, params.id)
      const item = await findRow<Static<typeof ReceivedAttachmentItem>>(context.db, rows, params.attachmentId)
      return present('attachment', found(item, 'Attachment'))
    },
  }),
]
