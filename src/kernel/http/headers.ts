/** A header of a request or an answer, as OpenAPI describes it. */
interface DescribedHeader {
  /** As people write it; requests are looked up without regard to case. */
  readonly name: string
  readonly description: string
  readonly schema: Readonly<Record<string, unknown>>
}

/** Headers that endpoints may ask for. An endpoint gets those that it names, and no others. */
export const REQUEST_HEADERS = {
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: 'The same key within 24 hours does it once, and gets the same answer.',
    schema: { type: 'string', minLength: 1, maxLength: 256 },
  },
  'x-batch-validation': {
    name: 'x-batch-validation',
    description:
      '`strict`: one wrong email refuses all. `permissive`: the right ones are sent, and `errors` tells of the others.',
    schema: { type: 'string', enum: ['strict', 'permissive'], default: 'strict' },
  },
} as const satisfies Record<string, DescribedHeader>

export type RequestHeader = keyof typeof REQUEST_HEADERS

export type RequestHeaders = Readonly<Partial<Record<RequestHeader, string>>>

const count = { type: 'integer', minimum: 0 }

/** Of every answer to a key that is known. */
export const RESPONSE_HEADERS = {
  RequestId: {
    name: 'x-request-id',
    description: 'The id of the request, and of its entry in the logs.',
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitLimit: {
    name: 'ratelimit-limit',
    description: 'Requests per second. Left out without a limit, like those below.',
    schema: count,
  },
  RateLimitRemaining: {
    name: 'ratelimit-remaining',
    description: 'Requests that are sure to be let through in this second.',
    schema: count,
  },
  RateLimitReset: {
    name: 'ratelimit-reset',
    description: 'Seconds until the next ones are let through.',
    schema: count,
  },
  RateLimitPolicy: {
    name: 'ratelimit-policy',
    description: 'The limit and its window, `1000;w=1`.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, DescribedHeader>

/** Of answers to what sends. */
export const QUOTA_HEADERS = {
  DailyQuota: {
    name: 'x-resend-daily-quota',
    description: 'Recipients of this day, where there is a daily limit.',
    schema: count,
  },
  MonthlyQuota: { name: 'x-resend-monthly-quota', description: 'Recipients of this month.', schema: count },
} as const satisfies Record<string, DescribedHeader>

/** Of refusals. */
export const REFUSAL_HEADERS = {
  RetryAfter: { name: 'retry-after', description: 'Seconds to wait, with 429 and some 503.', schema: count },
  WwwAuthenticate: {
    name: 'www-authenticate',
    description: 'With 401: where a program gets an access token.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, DescribedHeader>
