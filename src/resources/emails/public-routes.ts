import { download, gone } from '../../http/download.ts'
import { publicRoute } from '../../http/public-route.ts'
import { isId } from '../../platform/ids.ts'
import { findShown } from '../received-emails/actions.ts'
import { findAttachment } from './queries.ts'
import { findSentShown } from './read.ts'
import { SHARED } from './share.ts'
import { sharedPage } from './shared-page.ts'

export const emailPublicRoutes = [
  publicRoute<{ token: string; attachmentId: string }>({
    route: 'GET /downloads/emails/:token/:attachmentId',
    async run({ params, visitor, context: { db, clock, mail } }) {
      const link = mail.links.readAt(visitor.host, 'email-attachments', params.token, clock.now())
      if (!link || !isId(params.attachmentId)) return gone
      const attachment = await findAttachment(db, link.team!, link.email!, params.attachmentId)
      const content = attachment && (await mail.contents.open(attachment.blob))
      if (!content) return gone
      const { filename, content_type, size } = attachment
      return download({ name: filename ?? 'attachment', contentType: content_type, size, content })
    },
  }),
  publicRoute({
    route: 'GET /shared',
    async run({ query, visitor, context }) {
      const { clock, mail } = context
      const read = (purpose: string) => mail.links.readAt(visitor.host, purpose, String(query.token ?? ''), clock.now())
      const [sent, received] = [read(SHARED.sent), read(SHARED.received)]
      const email = sent
        ? await findSentShown(context, sent.team!, sent.email!)
        : received && (await findShown({ ...context, team: received.team! }, received.email!))
      return email ? sharedPage(email) : gone
    },
  }),
]
