/**
 * Sample domain blocks of PowerMTA, which many configurations in public repositories still have (they name `verifier.port25.com`, the test
 * address of its maker), and what its User's Guide says of the directives. Figures of 2010 to 2020, as they are found.
 */
export interface DomainBlock {
  /** max-smtp-out */
  readonly connections: number
  /** max-msg-per-connection */
  readonly messagesPerConnection: number
  /** max-msg-rate; unlimited unless it is there. */
  readonly perMinute?: number
  /** backoff-max-msg-rate */
  readonly backoffPerMinute: number
  /** retry-after */
  readonly retryMinutes: number
  /** smtp-421-means-mx-unavailable: the queue waits for its next turn. */
  readonly waitsAfter421?: boolean
}

export const DEFAULT_BLOCK: DomainBlock = {
  connections: 2,
  messagesPerConnection: 1,
  backoffPerMinute: 10,
  retryMinutes: 10,
}

/** By the first label of the recipient's domain. */
export const DOMAIN_BLOCKS: Readonly<Record<string, DomainBlock>> = {
  aol: {
    connections: 2,
    messagesPerConnection: 100,
    perMinute: 25,
    backoffPerMinute: 10,
    retryMinutes: 10,
    waitsAfter421: true,
  },
  comcast: { connections: 2, messagesPerConnection: 100, backoffPerMinute: 10, retryMinutes: 10 },
  gmail: {
    connections: 5,
    messagesPerConnection: 250,
    perMinute: 5_000 / 60,
    backoffPerMinute: 500 / 60,
    retryMinutes: 30,
    waitsAfter421: true,
  },
  hotmail: {
    connections: 25,
    messagesPerConnection: 150,
    perMinute: 250,
    backoffPerMinute: 25,
    retryMinutes: 10,
    waitsAfter421: true,
  },
  yahoo: {
    connections: 3,
    messagesPerConnection: 5,
    perMinute: 2_000 / 60,
    backoffPerMinute: 10,
    retryMinutes: 10,
    waitsAfter421: true,
  },
}

/** The replies that switch a queue to back-off mode. */
export const BACKOFF_PATTERNS: readonly RegExp[] = [
  /^421/,
  /^450/,
  /^550/,
  /^553/,
  /420 Resources unavailable temporarily/,
  /421 .* Please try again later/,
  /421 Message temporarily deferred/,
  /exceeded the rate limit/,
  /blocked.*spamhaus/,
  /451 Rejected/,
]

/** backoff-to-normal-after; and at once after a delivery (backoff-to-normal-after-delivery). */
export const NORMAL_AFTER_MINUTES = 120
/** backoff-retry-after */
export const BACKOFF_RETRY_MINUTES = 30
