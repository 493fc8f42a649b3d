import { servicesForTeam } from '../../kernel/db/team-services.ts'
import { download, gone } from '../../kernel/http/download.ts'
import { isId } from '../../platform/ids.ts'
import { publicRoute } from '../definitions.ts'
import { findShown } from '../inbound/index.ts'
import { brandOf } from '../teams/index.ts'
import { findAttachment } from './queries.ts'
import { findSentShown } from './read.ts'
import { SHARED } from './share.ts'
import { notShared, sharedPage } from './shared-page.ts'

export const emailPublicRoutes = [
  publicRoute<{ token: string; attachmentId: string }>({
    route: 'GET /downloads/emails/:token/:attachmentId',
    async run({ params, visitor, services: { db, clock, blobs, links } }) {
      const link = links.readAt(visitor.host, 'email-attachments', params.token, clock.now())
      if (!link || !isId(params.attachmentId)) return gone
      const attachment = await findAttachment(
        await db.forTeam(link.team!),
        link.team!,
        link.email!,
        params.attachmentId,
      )
      const content = attachment && (await blobs.open(attachment.blob))
      if (!content) return gone
      const { filename, content_type, size } = attachment
      return download({ name: filename ?? 'attachment', contentType: content_type, size, content })
    },
  }),
  publicRoute({
    route: 'GET /shared',
    async run({ query, visitor, services }) {
      const { clock, links } = services
      const read = (purpose: string) => links.readAt(visitor.host, purpose, String(query.token ?? ''), clock.now())
      const [sent, received] = [read(SHARED.sent), read(SHARED.received)]
      const link = sent ?? received
      if (!link) return notShared()
      const { team, email: id } = link
      const own = await servicesForTeam(services, team!)
      const email = await (sent ? findSentShown : findShown)(own, team!, id!)
      return email ? sharedPage(email, await brandOf(own, team!)) : notShared()
    },
  }),
]
