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
      new Problem('malformed_request', 'The body does not match `Content-Length`.'),
    FST_ERR_BAD_URL: () => new Problem('malformed_request', 'The path is not a valid URL path.'),
    FST_ERR_MAX_PARAM_LENGTH: () => new Problem('invalid_parameter', 'A path parameter is too long.'),
  }),
)

/** Any error as the caller may see it. Null: a defect of ours, which the caller sees as a bare 500. */
export function explain(error: unknown, bodyLimit: number): Problem | null {
  if (error instanceof Problem) return error
  if (error instanceof ClientGone)
    return new Problem('malformed_request', 'The connection was closed before the response.')
  const framework = FRAMEWORK.get((error as { code?: unknown }).code)
  if (framework) return framework(bodyLimit)
  if (error instanceof Busy && error.isOwnDoing)
    return new Problem(
      'rate_limit_exceeded',
      'Too many concurrent requests of your team. Wait for some to finish, then retry.',
    )
  if (isCanceled(error)) return new Problem('service_unavailable', 'Query timed out; narrow it or retry.')
  if (error instanceof BlobStoreAway)
    return new Problem('service_unavailable', 'File storage is temporarily unavailable. Please retry later.')
  if (isUnavailable(error))
    return new Problem('service_unavailable', 'API is temporarily unavailable. Please retry in a moment.')
  if (isContention(error)) return new Problem('resource_locked', 'Another request is already updating this resource.')
  return null
}

/** It may come after a commit, so it does not say that nothing was done. */
export const defect = () =>
  new Problem(
    'application_error',
    'Internal server error. The request may have been carried out; see the server log for the cause.',
  )
