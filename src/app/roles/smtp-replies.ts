import type { SmtpAnswer, SmtpRefusal } from '../../adapters/smtp-server/handler.ts'
import { RefusedMessage } from '../../features/emails/submit.ts'
import type { Refusal } from '../../features/inbound/intake/receiving.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { isUnavailable } from '../../platform/database-errors.ts'

const REPLIES: Record<Refusal['kind'], Omit<SmtpRefusal, 'message'>> = {
  no_mailbox: { code: 550, enhanced: '5.7.1' },
  mailbox_gone: { code: 451, enhanced: '4.3.0' },
  too_much: { code: 451, enhanced: '4.7.1' },
  elsewhere: { code: 451, enhanced: '4.3.0' },
}

export const replyTo = ({ kind, message }: Refusal): SmtpRefusal => ({ ...REPLIES[kind], message })

const NOT_A_KEY: SmtpRefusal = { code: 535, enhanced: '5.7.8', message: 'Authentication credentials invalid' }

export async function answering(work: () => Promise<string | SmtpRefusal>): Promise<SmtpAnswer> {
  const result = await refusing(work)
  return typeof result === 'string' ? { kind: 'accepted', message: result } : { kind: 'refused', ...result }
}

/** What an API call would be told, as a server says it: try again where that helps, and never where it does not. */
export async function refusing<Value>(work: () => Promise<Value>): Promise<Value | SmtpRefusal> {
  try {
    return await work()
  } catch (error) {
    if (isUnavailable(error)) return { code: 451, enhanced: '4.3.0', message: 'Service temporarily unavailable' }
    if (!(error instanceof Problem)) throw error
    // RFC 3463, 5.4.6: a routing loop.
    if (error instanceof RefusedMessage && error.isLoop) return { code: 554, enhanced: '5.4.6', message: error.message }
    return refusalOf(error)
  }
}

const AUTH_PROBLEMS = new Set(['missing_api_key', 'invalid_api_key'])

function refusalOf({ kind, status, message }: Problem): SmtpRefusal {
  if (AUTH_PROBLEMS.has(kind)) return NOT_A_KEY
  if (kind === 'suspended_api_key' || kind === 'inactive_api_key' || kind === 'wrong_cell')
    return { ...NOT_A_KEY, message }
  if (status >= 500 || status === 429 || kind === 'concurrent_idempotent_requests')
    return { code: 451, enhanced: status === 429 ? '4.7.1' : '4.3.0', message }
  return { code: 550, enhanced: status === 403 ? '5.7.1' : '5.6.0', message }
}
