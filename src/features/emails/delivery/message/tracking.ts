import { createHash } from 'node:crypto'
import type { Tracker } from '../../../../mail/tracked-html.ts'
import { isPublicName, type LinkSigner } from '../../../../platform/links.ts'
import { UNSUBSCRIBE_PATH } from './unsubscribe-link.ts'

/** What a domain wants to learn of its recipients, and under which address. */
export interface TrackingOptions {
  readonly opens: boolean
  readonly clicks: boolean
  /** `https://links.acme.dev`, without a slash at its end. */
  readonly baseUrl: string
}

/** Who followed a link or loaded a picture: one recipient of one email. */
export interface Trace {
  readonly team: string
  readonly email: string
  /** `traceOf` the recipient: their address is nobody's business who sees the link go by. */
  readonly recipient: string
}

export const traceOf = (email: string, recipient: string) =>
  createHash('sha256').update(`${email} ${recipient}`).digest('base64url').slice(0, 11)

/** Beyond this a link is left alone: some programs cut addresses, and a token is a third longer than what it carries. */
const MAX_TARGET_CHARACTERS = 2_000

export const TRACKING_PATHS = { open: '/o', click: '/c' } as const

/**
 * A click leads where its token says and nowhere else: only we can make one, so nobody can use our name for a target of theirs,
 * and the way there needs no database. It is good at the host that it was made for: nobody can use another team's name for it
 * either. Nothing in it changes with time, so a second attempt is the same mail.
 */
export function trackerFor(
  { team, id }: { readonly team: string; readonly id: string },
  recipient: string,
  { options, links, ownUrl }: { options: TrackingOptions; links: LinkSigner; ownUrl: string },
): Tracker {
  const trace = { t: team, e: id, r: traceOf(id, recipient) }
  return {
    pixelUrl: options.opens ? `${options.baseUrl}${TRACKING_PATHS.open}/${links.sign('open', trace, null)}` : null,
    linkUrl(target) {
      // The way out must not lead through a place that counts.
      if (
        !options.clicks ||
        target.length > MAX_TARGET_CHARACTERS ||
        target.startsWith(`${ownUrl}${UNSUBSCRIBE_PATH}/`)
      )
        return null
      return `${options.baseUrl}${TRACKING_PATHS.click}/${links.sign('click', { ...trace, u: target }, null, options.baseUrl)}`
    },
  }
}

export function readOpen(links: LinkSigner, token: string, now: Date): Trace | null {
  const payload = links.read('open', token, now)
  return payload && { team: payload.t!, email: payload.e!, recipient: payload.r! }
}

export interface Click extends Trace {
  readonly target: string
  /** Made before links had a host of their own, and followed under a name: whoever answers looks whose name it is. */
  readonly isOfOldForm: boolean
}

export function readClick(links: LinkSigner, token: string, { host, now }: { host: string; now: Date }): Click | null {
  const payload = links.read('click', token, now)
  if (!payload || !links.isFor(payload, host)) return null
  const { t, e, r, u, h } = payload
  return { team: t!, email: e!, recipient: r!, target: u!, isOfOldForm: h === undefined && isPublicName(host) }
}
