import {
  QUEUE_STATES,
  type QueueFilter,
  type QueueState,
} from '../../../features/emails/delivery/queue/queue-filter.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { domainOf, isDomain, toAsciiDomain } from '../../../mail/address.ts'
import { isCanceled } from '../../../platform/database-errors.ts'
import { isId } from '../../../platform/ids.ts'
import { type CommandFlags, JSON_FLAG, OperatorError, oneLine } from '../command.ts'
import { requireTeam } from '../teams.ts'

// How the commands of the queue say which mail they are about.

/** Of commands that change something: which mail, and whether only to count it. */
export const MAIL_OPTIONS = {
  team: { type: 'string' },
  domain: { type: 'string' },
  from: { type: 'string' },
  email: { type: 'string' },
  'dry-run': { type: 'boolean' },
  ...JSON_FLAG,
} as const

export const FILTER_OPTIONS = {
  team: { type: 'string' },
  domain: { type: 'string' },
  from: { type: 'string' },
  state: { type: 'string' },
  'due-before': { type: 'string' },
} as const

/** Arguments are checked before there is a database. */
export function readFilter(flags: CommandFlags): (db: Database) => Promise<QueueFilter> {
  const states = flags.state === undefined ? undefined : statesOf(String(flags.state))
  const domain = domainFlag(flags, 'domain')
  const from = domainFlag(flags, 'from')
  const email = flags.email === undefined ? undefined : idOf(String(flags.email))
  const dueBefore = flags['due-before'] === undefined ? undefined : timeOf(flags['due-before'])
  return async (db) => ({
    ...(states && { states }),
    ...(domain !== undefined && { domain }),
    ...(from !== undefined && { from }),
    ...(email !== undefined && { email }),
    ...(dueBefore && { dueBefore }),
    ...(flags.team !== undefined && { team: await requireTeam(db, flags.team) }),
  })
}

/** `example.com`, or `@example.com`; also of a whole address its domain. */
export function domainFlag(flags: CommandFlags, name: 'domain' | 'from'): string | undefined {
  if (flags[name] === undefined) return undefined
  const domain = toAsciiDomain(domainOf(String(flags[name]).trim()))
  if (!isDomain(domain))
    throw new OperatorError(`--${name} must be a domain like example.com, not \`${oneLine(String(flags[name]))}\`.`)
  return domain
}

function idOf(text: string): string {
  if (!isId(text)) throw new OperatorError(`--email must be the id of an email, not \`${oneLine(text)}\`.`)
  return text
}

function statesOf(text: string): readonly QueueState[] {
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !QUEUE_STATES.includes(name as QueueState))
  if (wrong !== undefined)
    throw new OperatorError(`--state must be one or more of ${QUEUE_STATES.join(',')}, not \`${oneLine(wrong)}\`.`)
  return names as QueueState[]
}

/** With a zone, so that nobody's mail depends on where the terminal is. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/

export function timeOf(text: string | boolean): Date {
  const time = new Date(String(text))
  if (!TIME.test(String(text)) || Number.isNaN(time.getTime()))
    throw new OperatorError(`--due-before must be a time with its zone, like 2026-01-31T12:00:00Z, not \`${text}\`.`)
  return time
}

export const isoOf = (time: Date | string) => new Date(time).toISOString().replace(/\.\d+/, '')

/** A statement of the queue that took too long is nobody's defect: a narrower one is quicker. */
export async function whileReadable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!isCanceled(error)) throw error
    throw new OperatorError('Query timed out; narrow it with --state or --team and retry.', {
      cause: error,
    })
  }
}
