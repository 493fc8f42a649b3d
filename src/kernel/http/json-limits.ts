import { LONGEST_TEXT } from '../../mail/limits.ts'
import { Problem } from './problem.ts'

const MEGABYTE = 1024 * 1024

/** What a JSON body may measure. Endpoints that take uploads have their own limit and read the stream themselves. */
export const MAX_BODY_BYTES = MEGABYTE

/** What one text may measure, as it travels: the html of an email for instance. 5 MB take 10 ms to parse. */
export const MAX_TEXT_BYTES = LONGEST_TEXT

/**
 * How many values a body may have, and how deep they may lie in each other. A batch of a hundred emails has room for a thousand
 * each, which is more than a schema takes. 100,000 empty objects take 10 ms to parse; without a limit 143 MB of them took minutes.
 */
export const MAX_VALUES = 100_000
export const MAX_DEPTH = 64

/**
 * How many different names of fields a body may have. V8 makes each of them a text of its own that it looks up in tables: 95,000 took
 * 70 ms to parse, and as long again for each copy of the object. Names that come again, as those of the emails of a batch, cost nothing.
 */
export const MAX_NAMES = 5_000

export function bodyTooLarge(maxBytes: number) {
  const size = maxBytes < MEGABYTE ? `${maxBytes / 1024} kB` : `${Math.floor(maxBytes / MEGABYTE)} MB`
  return new Problem('body_too_large', `The request body is too large. The limit is ${size}.`)
}

export const notJson = () => new Problem('malformed_request', 'The request body is not valid JSON.')

export const notUtf8 = () => new Problem('malformed_request', 'The request body is not valid UTF-8.')

export const tooDeep = () =>
  new Problem('validation_error', `The request body is nested too deeply. It can have ${MAX_DEPTH} levels.`)

export const tooManyValues = () =>
  new Problem('validation_error', `The request body has too many values. It can have ${MAX_VALUES}.`)

export const tooManyNames = () =>
  new Problem('validation_error', `The request body has too many different names of fields. It can have ${MAX_NAMES}.`)

export const textTooLong = (field: string) =>
  new Problem('validation_error', `Invalid \`${field}\` field. It must be at most ${MAX_TEXT_BYTES / MEGABYTE} MB.`)
