import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../../platform/observability/log.ts'
import type { Config } from '../../platform/settings/config.ts'
import { pathOf } from './unknown-route.ts'

/** The line that each request leaves at the level `debug`. */
export function logRequest(
  { log, config }: { readonly log: Log; readonly config: Config },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (!log.isLevelEnabled('debug')) return
  const { id, startedAt, actor } = request.exchange
  log.debug(
    {
      request: id,
      method: request.method,
      path: shownPath(request, config),
      status: reply.statusCode,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(actor && { team: actor.team }),
    },
    'http: request',
  )
}

/** A client can ask for anything. */
const MAX_PATH_LENGTH = 200

/**
 * Without the query, which can have tokens. Of endpoints the path, with ids; of other routes, which have tokens in their paths (links in
 * mails, downloads), the route alone. Addresses of people are left out unless they are wanted in the log.
 */
function shownPath(request: FastifyRequest, { LOG_ADDRESSES }: Config): string {
  const { config, url: route } = request.routeOptions
  const path = (config.endpoint || request.is404 ? undefined : route) ?? pathOf(request)
  const shown = LOG_ADDRESSES === 'on' ? path : path.replace(/[^/]*(?:@|%40)[^/]*/gi, ':email')
  return shown.slice(0, MAX_PATH_LENGTH)
}
