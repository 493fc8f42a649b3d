import { type PublicAnswer, publicRoute } from '../../http/public-route.ts'
import { isId } from '../../platform/ids.ts'
import { findAttachment } from './queries.ts'
import { readEmail } from './read.ts'
import { sharedPage } from './shared-page.ts'

const gone: PublicAnswer = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'This link is not valid, or it has expired.\n',
}

/** As RFC 8187 wants a name in a header: letters, digits and percent signs. */
const spelled = (name: string) =>
  encodeURIComponent(name).replace(/['()*!]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)

export const emailPublicRoutes = [
  publicRoute<{ token: string; attachmentId: string }>({
    route: 'GET /downloads/emails/:token/:attachmentId',
    async run({ params, context: { db, clock, mail } }) {
      const link = mail.links.read('email-attachments', params.token, clock.now())
      if (!link || !isId(params.attachmentId)) return gone
      const attachment = await findAttachment(db, link.team!, link.email!, params.attachmentId)
      const content = attachment && (await mail.contents.open(attachment.blob))
      if (!content) return gone
      return {
        status: 200,
        headers: {
          'content-type': attachment.content_type,
          'content-length': String(attachment.size),
          // Whatever the sender called it: a download, never a page of ours.
          'content-disposition': `attachment; filename*=UTF-8''${spelled(attachment.filename ?? 'attachment')}`,
          'content-security-policy': "default-src 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, max-age=600',
        },
        body: content,
      }
    },
  }),
  publicRoute({
    route: 'GET /shared',
    async run({ query, context }) {
      const link = context.mail.links.read('shared-email', String(query.token ?? ''), context.clock.now())
      const email = link && (await readEmail(context, link.team!, link.email!))
      return email ? sharedPage(email) : gone
    },
  }),
]
