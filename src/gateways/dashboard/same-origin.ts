import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '../../kernel/http/problem.ts'
import type { Config } from '../../platform/settings/config.ts'

/** No form, image or link can send it, and a script of another page only if we allowed that page to: we allow none. */
export const DASHBOARD_HEADER = 'x-postwren-dashboard'

/**
 * Whether a request that comes with a cookie was made by our own page. A cookie proves who sits at the browser, not who wrote the
 * page. `SameSite=Strict` keeps other sites out, but on a laptop every port of `localhost` is the same site.
 */
export function isFromOurPage(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  { PUBLIC_URL }: Config,
): boolean {
  if (headers[DASHBOARD_HEADER] === undefined) return false
  return method === 'GET' || isOurOrigin(headers, PUBLIC_URL)
}

export function requireOurPage(request: Parameters<typeof isFromOurPage>[0], config: Config) {
  if (!isFromOurPage(request, config)) throw new Problem('sender_not_allowed', 'This is for the dashboard only.')
}

/** Ours is where the request went to, or, behind a proxy that changes the name, the public address. */
export function isOurOrigin({ origin, host }: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  if (!origin || !URL.canParse(origin)) return false
  return new URL(origin).host === host || (publicUrl !== undefined && new URL(publicUrl).origin === origin)
}
