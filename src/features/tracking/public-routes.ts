import type { PublicAnswer } from '../../kernel/http/public-route.ts'
import { publicRoute } from '../definitions.ts'
import { isHostOf } from '../domains/index.ts'
import { readClick, readOpen, TRACKING_PATHS } from '../emails/delivery/message/tracking.ts'

// What tracked mail asks us for. HEAD is answered like GET: whoever only looks whether a link works must hear that it does.

/** One transparent point. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** Nobody may keep the answer: the next visit is another one. And no page learns from which mail its reader came. */
const UNKEPT = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' }

const picture: PublicAnswer = {
  status: 200,
  headers: { ...UNKEPT, 'content-type': 'image/gif', 'cross-origin-resource-policy': 'cross-origin' },
  body: GIF,
}

const gone: PublicAnswer = {
  status: 404,
  headers: { ...UNKEPT, 'content-type': 'text/plain; charset=utf-8' },
  body: 'This link is not valid. It may be incomplete.\n',
}

const opens = (method: string) =>
  publicRoute<{ token: string }>({
    route: `${method} ${TRACKING_PATHS.open}/:token`,
    async run({ params, visitor, services: { clock, links, visits } }) {
      const trace = readOpen(links, params.token, clock.now())
      if (trace) visits.note({ ...trace, at: clock.now(), visitor, target: null })
      return picture
    },
  })

const clicks = (method: string) =>
  publicRoute<{ token: string }>({
    route: `${method} ${TRACKING_PATHS.click}/:token`,
    // The other cell has another name: it takes a click that is bound to none.
    tokenElsewhere({ params, visitor: { host }, services: { clock, links } }) {
      const click = readClick(links, params.token, { host, now: clock.now() })
      return click
        ? links.sign('click', { t: click.team, e: click.email, r: click.recipient, u: click.target }, null)
        : params.token
    },
    async run({ params, visitor, services: { db, clock, links, publicUrl, visits } }) {
      const { host } = visitor
      const click = readClick(links, params.token, { host, now: clock.now() })
      const isOwnHost = host === new URL(publicUrl()).hostname
      if (
        !click ||
        (click.isOfOldForm && !isOwnHost && !(await isHostOf(await db.forTeam(click.team), click.team, host)))
      )
        return gone
      const { isOfOldForm: _, ...trace } = click
      visits.note({ ...trace, at: clock.now(), visitor })
      // As a browser would spell it: a header takes no letters from beyond ASCII.
      return { status: 302, headers: { ...UNKEPT, location: new URL(trace.target).href }, body: '' }
    },
  })

export const trackingRoutes = ['GET', 'HEAD'].flatMap((method) => [opens(method), clicks(method)])
