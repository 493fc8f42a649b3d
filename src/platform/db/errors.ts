// What a failed statement means to whoever asked, by SQLSTATE (PostgreSQL manual, appendix A) or by the socket's error code.

const SOCKET_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])

/** 08 connection, 53 no memory, connections or disk space, 57 the server is stopping, starting or cancelled us, 58 system. */
const UNAVAILABLE = /^(08|53|57|58|25006)/

/** Broken reference, duplicate, serialization failure, deadlock, lock not available: somebody else was there first. */
const CONTENTION = new Set(['23503', '23505', '40001', '40P01', '55P03'])

const DRIVER_MESSAGES =
  /connection terminated|not queryable|timeout exceeded when trying to connect|cannot use a pool after/i

export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return SOCKET_ERRORS.has(code) || UNAVAILABLE.test(code)
  return DRIVER_MESSAGES.test(error.message)
}

export function isContention(error: unknown): boolean {
  return error instanceof Error && CONTENTION.has(String((error as { code?: unknown }).code))
}

/** It took longer than a statement may. */
export function isCanceled(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '57014'
}
