import { BlobStoreAway } from '../../adapters/blobs/blob-store.ts'
import { Busy } from '../../platform/concurrency/fair-queue.ts'
import { isCanceled, isContention, isUnavailable } from '../../platform/database-errors.ts'
import { ClientGone } from './client-gone.ts'
import { bodyTooLarge } from './json-limits.ts'
import { Problem } from './problem.ts'

/** What the framework objects to before we see the request. */
const FRAMEWORK = new Map<unknown, (bodyLimit: number) => Problem>(
  Object.entries({
    FST_ERR_CTP_BODY_TOO_LARGE: bodyTooLarge,
    FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
      new Problem('unsupported_content_type', 'The `Content-Type` header is malformed.'),
    FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
      new Problem('malformed_request', 'The body is shorter or longer than `Content-Length` says.'),
    FST_ERR_BAD_URL: () => new Problem('malformed_request', 'The path is not a valid URL path.'),
    FST_ERR_MAX_PARAM_LENGTH: () => new Problem('invalid_parameter', 'The path names something that is too long.'),
  }),
)

/** Any error as the caller may see it. Null: a defect of ours, which the caller sees as a bare 500. */
export function explain(error: unknown, bodyLimit: number): Problem | null {
  if (error instanceof Problem) return error
  if (error instanceof ClientGone)
    return new Problem('malformed_request', 'The connection was closed before the answer.')
  const framework = FRAMEWORK.get((error as { code?: unknown }).code)
  if (framework) return framework(bodyLimit)
  if (error instanceof Busy && error.isOwnDoing)
    return new Problem(
      'rate_limit_exceeded',
      'Too many requests of your team are under way. Wait for some of them, and try again.',
    )
  if (isCanceled(error))
    return new Problem('service_unavailable', 'This took too long, and was stopped. Ask for less at once, or later.')
  if (error instanceof BlobStoreAway)
    return new Problem('service_unavailable', 'Files cannot be stored or read at the moment. Please try again later.')
  if (isUnavailable(error))
    return new Problem('service_unavailable', 'The API is temporarily unavailable. Please try again in a moment.')
  if (isContention(error)) return new Problem('resource_locked', 'Another request is already updating this resource.')
  return null
}

/** It may come after a commit, so it does not say that nothing was done. */
export const defect = () =>
  new Problem(
    'application_error',
    'Something went wrong on our side. The request may have been carried out; the log of the server has the cause.',
  )
