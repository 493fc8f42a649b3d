import {
  QUEUE_STATES,
  type QueueFilter,
  type QueueState,
  readTag,
} from '../../../features/emails/delivery/queue/queue-filter.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { domainOf, isDomain, toAsciiDomain } from '../../../mail/address.ts'
import { isProvider, PROVIDERS } from '../../../mail/providers/providers.ts'
import { isCanceled } from '../../../platform/database-errors.ts'
import { isId } from '../../../platform/ids.ts'
import { type CommandFlags, JSON_FLAG, OperatorError, oneLine } from '../command.ts'
import { requireTeam } from '../teams.ts'

// How the commands of the queue say which mail they are about.

export const FILTER_OPTIONS = {
  team: { type: 'string' },
  domain: { type: 'string' },
  from: { type: 'string' },
  provider: { type: 'string' },
  destination: { type: 'string' },
  tag: { type: 'string' },
  state: { type: 'string' },
  'due-before': { type: 'string' },
} as const

export const FILTER_USAGE =
  '[--team T] [--domain D] [--from DOMAIN] [--provider P] [--destination D] [--tag NAME[:VALUE]] [--state S,…] [--due-before TIME]'

/** Of commands that change something: which mail, why, and whether only to count it. */
export const MAIL_OPTIONS = {
  email: { type: 'string' },
  ...FILTER_OPTIONS,
  reason: { type: 'string' },
  'dry-run': { type: 'boolean' },
  ...JSON_FLAG,
} as const

export const MAIL_USAGE = `[--email ID] ${FILTER_USAGE} [--reason WORDS] [--dry-run] [--json]`

/** Arguments are checked before there is a database. */
export function readFilter(flags: CommandFlags): (db: Database) => Promise<QueueFilter> {
  const states = flags.state === undefined ? undefined : statesOf(String(flags.state))
  const domain = domainFlag(flags, 'domain')
  const from = domainFlag(flags, 'from')
  const email = flags.email === undefined ? undefined : requireEmailId(String(flags.email))
  const destination = destinationOf(flags)
  const tag = flags.tag === undefined ? undefined : tagOf(String(flags.tag))
  const dueBefore = flags['due-before'] === undefined ? undefined : timeOf(flags['due-before'])
  return async (db) => ({
    ...(states && { states }),
    ...(domain !== undefined && { domain }),
    ...(from !== undefined && { from }),
    ...(email !== undefined && { email }),
    ...(destination !== undefined && { destination }),
    ...(tag && { tag }),
    ...(dueBefore && { dueBefore }),
    ...(flags.team !== undefined && { team: await requireTeam(db, flags.team) }),
  })
}

export const domainFlag = (flags: CommandFlags, name: 'domain' | 'from'): string | undefined =>
  flags[name] === undefined ? undefined : requireDomain(`--${name}`, String(flags[name]))

/** `example.com`, or `@example.com`; also of a whole address its domain. */
export function requireDomain(what: string, given: string): string {
  const domain = toAsciiDomain(domainOf(given.trim()))
  if (!isDomain(domain))
    throw new OperatorError(`${what} must be a domain like example.com, not \`${oneLine(given)}\`.`)
  return domain
}

/** A provider is a destination, too; one that is not known by its name is a mistake. */
export function destinationOf({ provider, destination }: CommandFlags): string | undefined {
  if (provider !== undefined && destination !== undefined)
    throw new OperatorError('Use --provider or --destination, not both: a provider is a destination.')
  if (provider !== undefined && !isProvider(String(provider)))
    throw new OperatorError(
      `--provider must be one of ${PROVIDERS.map(({ name }) => name).join(', ')}, not \`${oneLine(String(provider))}\`.`,
    )
  const name = provider ?? destination
  if (name === undefined) return undefined
  if (String(name).trim() === '')
    throw new OperatorError('--destination must be a provider, or the names of mail servers, as `queue` shows it.')
  return String(name).trim()
}

/** `name`, or `name:value`. */
export function tagOf(text: string): NonNullable<QueueFilter['tag']> {
  const tag = readTag(text)
  if (tag.name === '') throw new OperatorError(`--tag must be a name, or name:value, not \`${oneLine(text)}\`.`)
  return tag
}

export const textOfTag = ({ name, value }: NonNullable<QueueFilter['tag']>) =>
  value === undefined ? name : `${name}:${value}`

export function requireEmailId(text: string): string {
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
