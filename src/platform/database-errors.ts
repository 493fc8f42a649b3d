// What a failed statement means to whoever asked, by SQLSTATE (PostgreSQL manual, appendix A) or by the system's error code.

/** Nobody there, nobody answers, or the way there is gone. */
const NETWORK_ERRORS = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
])

/** The disk is full, for the blob store as for the database. */
const DISK_FULL_ERRNOS = new Set(['EDQUOT', 'ENOSPC'])

/** The database has switched to reading only: with several hosts another one can be written to by now. */
export const READ_ONLY = '25006'

/** PostgreSQL could not make a file larger. */
const DISK_FULL = '53100'

/**
 * 08 connection, 53 no memory, connections or disk space, 55P03 a lock that nobody lets go of, 57 the server is stopping, starting or
 * cancelled us, 58 system.
 */
const UNAVAILABLE = /^(08|53|55P03|57|58|25006)/

/** 08 connection, 57P01 to 57P05: the server is stopping, has crashed, is starting, or has ended the session. */
const LOST = /^(08|57P0)/

/** Broken reference, duplicate, serialization failure, deadlock: somebody else was there first. */
const CONTENTION = new Set(['23503', '23505', '40001', '40P01'])

const DRIVER_MESSAGES = /connection terminated|not queryable/i

/**
 * There is no connection to the database, or no answer on it. The log hears of that once for the whole process, from
 * `DatabaseHealth`: nobody else needs to mention it.
 */
export class DatabaseAway extends Error {
  readonly code: string | undefined

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.code = codeOf(options.cause)
  }
}

/** It was waited for in vain: the database is gone, or has too much to do. */
export class DatabaseSilent extends DatabaseAway {}

export const isSilence = (error: unknown) =>
  error instanceof DatabaseSilent || (error instanceof DatabaseAway && error.cause instanceof DatabaseSilent)

/** The level at which an error is logged: one that `DatabaseHealth` has logged already is not logged again for each request and worker. */
export const levelOf = (error: unknown, usual: 'warn' | 'error') => (error instanceof DatabaseAway ? 'debug' : usual)

/** All connections are in use, and stayed so for as long as somebody was ready to wait. */
export class DatabaseBusy extends Error {}

/** Whether the connection that this error came from is of no more use. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return NETWORK_ERRORS.has(code) || LOST.test(code)
  return error instanceof Error && DRIVER_MESSAGES.test(error.message)
}

/** What PostgreSQL answers has ended the transaction, unless it has ended the session: of anything else nobody knows whether it was committed. */
export function mayHaveCommitted(error: unknown): boolean {
  if (error instanceof DatabaseBusy) return false
  return error instanceof DatabaseAway || isLost(error) || !SQLSTATE.test(codeOf(error) ?? '')
}

const SQLSTATE = /^[0-9A-Z]{5}$/

export function isUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseAway || error instanceof DatabaseBusy) return true
  // Several addresses were tried, and each had an error of its own.
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnavailable)
  const code = codeOf(error)
  return isLost(error) || (code !== undefined && (DISK_FULL_ERRNOS.has(code) || UNAVAILABLE.test(code)))
}

/** Whether a database that could not be had may be there in a moment: it is silent, starting or unreachable, and does not refuse us. */
export function mayComeBack(error: unknown): boolean {
  if (!(error instanceof DatabaseAway)) return false
  return error.cause === undefined || isUnavailable(error.cause)
}

/** Somebody else had the lock for longer than it was waited for. */
export const isLockTimeout = (error: unknown) => codeOf(error) === '55P03'

/** A row is not as a constraint wants it, or not within the bounds of its partition. */
export const isCheckViolation = (error: unknown) => codeOf(error) === '23514'

export const isDeadlock = (error: unknown) => codeOf(error) === '40P01'

/** The row that it waited for was moved into another partition meanwhile. */
export const isMoved = (error: unknown) => codeOf(error) === '40001'

export function isContention(error: unknown): boolean {
  return error instanceof Error && CONTENTION.has(String((error as { code?: unknown }).code))
}

/** Why nothing can be written, if that is what an error says. */
export function unwritableOf(error: unknown): 'read_only' | 'disk_full' | null {
  const code = codeOf(error)
  return code === READ_ONLY ? 'read_only' : code === DISK_FULL ? 'disk_full' : null
}

/** It took longer than a statement may. */
export const isCanceled = (error: unknown) => codeOf(error) === '57014'

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}
