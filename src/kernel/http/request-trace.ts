import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Span, tracing } from '../../platform/observability/tracing.ts'

/** Begins the span of a request to an endpoint. By its route: a path can have addresses and tokens in it. */
export function beginRequestSpan(request: FastifyRequest): Span | null {
  // The framework makes the options anew each time they are asked for.
  const endpoint = tracing && request.routeOptions.config.endpoint
  if (!tracing || !endpoint) return null
  const { traceparent } = request.headers
  return tracing.begin(`${endpoint.method} ${endpoint.path}`, {
    kind: 'server',
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': endpoint.method,
      'http.route': endpoint.path,
      'postwren.operation': endpoint.id,
    },
  })
}

export function endRequestSpan(span: Span, { exchange: { id, actor } }: FastifyRequest, { statusCode }: FastifyReply) {
  span.set({
    'http.response.status_code': statusCode,
    'postwren.request.id': id,
    'postwren.team.id': actor?.team,
  })
  // The client's mistakes are no errors of ours.
  span.end(statusCode >= 500 ? String(statusCode) : undefined)
}
