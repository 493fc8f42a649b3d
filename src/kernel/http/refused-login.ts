import type { FastifyRequest } from 'fastify'
import type { LoginReason } from '../../platform/observability/metrics.ts'
import type { RefusedLogins } from '../../platform/observability/refused-logins.ts'
import { Problem, type ProblemKind } from './problem.ts'

const REASONS: Partial<Record<ProblemKind, LoginReason>> = {
  missing_api_key: 'missing',
  invalid_api_key: 'invalid',
  inactive_api_key: 'invalid',
  invalid_access_token: 'invalid',
  restricted_api_key: 'restricted',
}

/** Notes it when a request is refused for its key. */
export function noteIfLogin(logins: RefusedLogins, error: unknown, request: FastifyRequest) {
  const reason = error instanceof Problem ? REASONS[error.kind] : undefined
  if (!reason) return
  logins.note({ reason, address: request.ip, token: request.headers.authorization?.replace(/^Bearer\s+/i, '') })
}
