import Type, { type Static } from 'typebox'
import { columnsOf } from '../../http/columns.ts'
import { DOWNLOAD_LINK_MS } from '../../http/download.ts'
import { type Context, endpoint } from '../../http/endpoint.ts'
import { list } from '../../http/list.ts'
import { found } from '../../http/problem.ts'
import { findRow, type Rows } from '../../http/rows.ts'
import { Id, present } from '../../http/shapes.ts'
import { sql } from '../../platform/db/sql.ts'
import { emailRows } from './queries.ts'
import { AttachmentItem, RetrievedAttachment } from './schema.ts'

/** The links are made by the database, from the parts of a token: `download_url` is the address, the id, and a signature. */
function attachmentRows({ team, clock, mail }: Context, email: string): Rows {
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = mail.links.sign('email-attachments', { team, email }, expiresAt, mail.publicUrl)
  return {
    columns: columnsOf(AttachmentItem, 'a', {
      size: sql`a.size::int`,
      content_disposition: sql`case when a.content_id is null then 'attachment' else 'inline' end`,
      download_url: sql`${`${mail.publicUrl}/downloads/emails/${token}/`}::text || a.id`,
      expires_at: sql`iso_time(${expiresAt}::timestamptz)`,
    }),
    from: sql`email_attachments a`,
    where: sql`a.team_id = ${team} and a.email_id = ${email}`,
    id: sql`a.id`,
    omitsNulls: true,
  }
}

async function requireEmail({ db, team }: Context, id: string) {
  found(await findRow(db, emailRows(team), id), 'Email')
}

export const attachmentEndpoints = [
  list({
    id: 'emails.attachments.list',
    route: 'GET /emails/:id/attachments',
    summary: 'List the attachments of a sent email',
    params: Type.Object({ id: Id }),
    item: AttachmentItem,
    unlimited: 'all',
    async rows({ params, context }) {
      await requireEmail(context, params.id)
      return attachmentRows(context, params.id)
    },
  }),
  endpoint({
    id: 'emails.attachments.get',
    route: 'GET /emails/:id/attachments/:attachmentId',
    summary: 'Retrieve an attachment of a sent email',
    params: Type.Object({ id: Id, attachmentId: Id }),
    reply: RetrievedAttachment,
    async run({ params, context }) {
      await requireEmail(context, params.id)
      const rows = attachmentRows(context, params.id)
      const item = await findRow<Static<typeof AttachmentItem>>(context.db, rows, params.attachmentId)
      return present('attachment', found(item, 'Attachment'))
    },
  }),
]
