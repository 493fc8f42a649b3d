import Type, { type Static } from 'typebox'
import { sql } from '../../kernel/db/sql.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { DOWNLOAD_LINK_MS } from '../../kernel/http/download.ts'
import { found } from '../../kernel/http/problem.ts'
import { findRow, type Rows } from '../../kernel/http/rows.ts'
import { Id, IdParams, present } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { requireReceived } from './actions.ts'
import { ReceivedAttachmentItem, RetrievedReceivedAttachment } from './schema.ts'
import type { InboundServices } from './services.ts'

/** The links are made by the database: `download_url` is the address, a signed token for the message, and the attachment's id. */
async function attachmentRows(services: InboundServices, actor: Actor, email: string): Promise<Rows> {
  await requireReceived(services, actor, email)
  const { clock, links, publicUrl } = services
  const { team } = actor
  const expiresAt = new Date(clock.now().getTime() + DOWNLOAD_LINK_MS)
  const token = links.sign('received-attachments', { team, email }, expiresAt, publicUrl())
  return {
    columns: columnsOf(ReceivedAttachmentItem, 'a', {
      size: sql`a.size::int`,
      content_disposition: sql`coalesce(a.content_disposition, 'attachment')`,
      download_url: sql`${`${publicUrl()}/downloads/received/${token}/attachments/`}::text || a.id`,
      expires_at: sql`iso_time(${clock.of(team).fromReal(expiresAt)}::timestamptz)`,
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
    access: 'content',
    route: 'GET /emails/receiving/:id/attachments',
    summary: 'List the attachments of a received email',
    params: IdParams,
    item: ReceivedAttachmentItem,
    unlimited: 'all',
    rows: ({ params, services, actor }) => attachmentRows(services, actor, params.id),
  }),
  endpoint({
    id: 'emails.receiving.attachments.get',
    access: 'content',
    route: 'GET /emails/receiving/:id/attachments/:attachmentId',
    summary: 'Retrieve an attachment of a received email',
    params: Type.Object({ id: Id, attachmentId: Id }),
    reply: RetrievedReceivedAttachment,
    async run({ params, services, actor }) {
      const rows = await attachmentRows(services, actor, params.id)
      const item = await findRow<Static<typeof ReceivedAttachmentItem>>(services.db, rows, params.attachmentId)
      return present('attachment', found(item, 'Attachment'))
    },
  }),
]
