import { download, gone } from '../../kernel/http/download.ts'
import { publicRoute } from '../definitions.ts'
import { findReceived } from './intake/queries.ts'
import { findAttachments } from './queries.ts'

export const receivedPublicRoutes = [
  publicRoute<{ token: string; attachmentId: string }>({
    route: 'GET /downloads/received/:token/attachments/:attachmentId',
    async run({ params, visitor, services: { db, clock, blobs, links } }) {
      const link = links.readAt(visitor.host, 'received-attachments', params.token, clock.now())
      const attachments = link ? await findAttachments(await db.forTeam(link.team!), link.team!, link.email!) : []
      const attachment = attachments.find(({ id }) => id === params.attachmentId)
      const content = attachment && (await blobs.open(attachment.blob))
      if (!content) return gone
      const { filename, content_type, size } = attachment
      return download({ name: filename ?? 'attachment', contentType: content_type, size, content })
    },
  }),
  publicRoute<{ token: string }>({
    route: 'GET /downloads/received/:token/raw',
    async run({ params, visitor, services: { db, clock, blobs, links } }) {
      const link = links.readAt(visitor.host, 'received-raw', params.token, clock.now())
      const stored = link && (await findReceived(await db.forTeam(link.team!), link.team!, link.email!))
      const content = stored?.raw ?? (stored?.rawBlob && (await blobs.open(stored.rawBlob)))
      if (!stored || !content) return gone
      return download({ name: 'message.eml', contentType: 'message/rfc822', size: stored.size, content })
    },
  }),
]
