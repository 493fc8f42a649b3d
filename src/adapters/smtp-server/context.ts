import type { Semaphore } from '../../platform/concurrency/semaphore.ts'
import type { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { RepeatedErrors } from '../../platform/observability/repeated-errors.ts'
import type { Admission } from './admission.ts'
import type { SmtpHandler } from './handler.ts'
import type { Limits } from './limits.ts'
import type { Proxies } from './proxies.ts'
import type { DialogueSettings } from './state.ts'

/** What all sessions of a listener share. */
export interface ListenerContext<User> extends DialogueSettings {
  readonly handler: SmtpHandler<User>
  readonly log: Log
  /** What the handler throws. */
  readonly handlerErrors: RepeatedErrors
  readonly limits: Limits
  readonly admission: Admission
  readonly proxies: Proxies
  /** What is left of the failed logins that a client may have, over all its sessions. */
  readonly failedLogins: TokenBuckets
  /** Bytes of messages. */
  readonly memory: Semaphore
  /** Messages that the handler has in flight, some of them of sessions that are gone. */
  readonly underway: Set<Promise<unknown>>
}
