/** One call of the application and what the upstream has answered. The key is no part of it: `key` is a keyed hash. */
export interface Exchange {
  readonly number: number
  /** Whose calls are applied in order: a keyed hash of the upstream's API key. */
  readonly key: string
  /** When it began and ended, in milliseconds since 1970. */
  readonly startedAt: number
  readonly endedAt: number
  readonly method: string
  /** Path and query, as the client sent them. */
  readonly path: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: Uint8Array
  readonly status: number
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly answerBody: Uint8Array
  /** A call that changes the same objects was under way at the same time: the upstream may have done either first. */
  readonly isConcurrent: boolean
  /** Many wait behind it: what can be left out is left out. */
  readonly isHurried?: boolean
}

/** Headers of a request that our side is given, and no others: no key, no cookie. */
export const MIRRORED_REQUEST_HEADERS = [
  'content-type',
  'content-encoding',
  'idempotency-key',
  'x-batch-validation',
  'accept',
] as const

/** Headers of an answer that are compared, or needed to read it. */
export const COMPARED_ANSWER_HEADERS = ['content-type', 'content-encoding'] as const

/** Why a call was not compared. */
export const REASONS = {
  starting: 'our side was starting',
  away: 'our side was away',
  behind: 'our side was behind',
  too_large: 'too large',
  no_key: 'no API key',
  key_refused: 'API key refused by the upstream',
  too_many_keys: 'too many API keys',
  incomplete: 'the call was interrupted',
  upstream_failed: 'the upstream failed or refused by rate',
  account_rule: 'a rule of the upstream account',
  unknown_object: 'unknown object',
  concurrent: 'changed by another call at the same time',
  world: 'decided by the outside world',
  received_mail: 'received mail is not mirrored',
  not_in_contract: 'no operation of the contract',
  not_json: 'the answer is no JSON',
  encoded: 'encoding not understood',
} as const

export type Reason = keyof typeof REASONS

export interface Difference {
  /** Where in the answer: `status`, `header content-type`, `data[].subject`. */
  readonly path: string
  /** Shortened, without secrets. */
  readonly theirs: string
  readonly ours: string
}

/** What came of the comparison of one call. */
export type Verdict =
  | { readonly kind: 'same'; readonly extras: readonly string[] }
  | { readonly kind: 'different'; readonly differences: readonly Difference[]; readonly extras: readonly string[] }
  | { readonly kind: 'not_comparable'; readonly reason: Reason }
  | { readonly kind: 'failed'; readonly detail: string }

export interface Judged {
  /** `emails.send`, or method and masked path where Postwren has no such operation. */
  readonly operation: string
  readonly verdict: Verdict
}

export const notComparable = (reason: Reason): Verdict => ({ kind: 'not_comparable', reason })

/** Whether a call may change something: a call that was lost leaves our side behind the upstream. */
export const isWriting = (method: string) => !['GET', 'HEAD', 'OPTIONS', 'WEBHOOK'].includes(method)
