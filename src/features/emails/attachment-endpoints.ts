import Type, { type Static } from 'typebox'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { DOWNLOAD_LINK_MS } from '../../kernel/http/download.ts'
import { found } from '../../kernel/http/problem.ts'
import { findRow, type Rows } from '../../kernel/http/rows.ts'
import { Id, present } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { emailRows } from './queries.ts'
import { AttachmentItem, RetrievedAttachment } from './schema.ts'
import type { EmailsServices } from './services.ts'

/** The links are made by the database, from the parts of a token: `download_url` is the address, the id, and a signature. */
function attachmentRows({ clock, links, publicUrl }: EmailsServices, { team }: Actor, email: string): Rows {
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = links.sign('email-attachments', { team, email }, expiresAt, publicUrl())
  return {
    columns: columnsOf(AttachmentItem, 'a', {
      size: sql`a.size::int`,
      content_disposition: sql`case when a.content_id is null then 'attachment' else 'inline' end`,
      download_url: sql`${`${publicUrl()}/downloads/emails/${token}/`}::text || a.id`,
      expires_at: sql`iso_time(${clock.of(team).fromReal(expiresAt)}::timestamptz)`,
    }),
    from: sql`email_attachments a`,
    where: sql`a.team_id = ${team} and a.email_id = ${email}`,
    id: sql`a.id`,
    omitsNulls: true,
  }
}

async function requireEmail({ db }: EmailsServices, { team }: Actor, id: string) {
  found(await findRow(db, emailRows(team), id), 'Email')
}

export const attachmentEndpoints = [
  list({
    id: 'emails.attachments.list',
    access: 'content',
    route: 'GET /emails/:id/attachments',
    summary: 'List the attachments of a sent email',
    params: Type.Object({ id: Id }),
    item: AttachmentItem,
    unlimited: 'all',
    async rows({ params, services, actor }) {
      await requireEmail(services, actor, params.id)
      return attachmentRows(services, actor, params.id)
    },
  }),
  endpoint({
    id: 'emails.attachments.get',
    access: 'content',
    route: 'GET /emails/:id/attachments/:attachmentId',
    summary: 'Retrieve an attachment of a sent email',
    params: Type.Object({ id: Id, attachmentId: Id }),
    reply: RetrievedAttachment,
    async run({ params, services, actor }) {
      await requireEmail(services, actor, params.id)
      const rows = attachmentRows(services, actor, params.id)
      const item = await findRow<Static<typeof AttachmentItem>>(services.db, rows, params.attachmentId)
      return present('attachment', found(item, 'Attachment'))
    },
  }),
]
