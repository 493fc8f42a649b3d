import { QUEUE_STATES, type QueueState } from '../../../features/emails/delivery/queue/queue-filter.ts'
import {
  GROUPINGS,
  type GroupBy,
  listWaiting,
  type QueueCursor,
  summarizeWaiting,
  type WaitingDelivery,
  type WaitingGroup,
} from '../../../features/emails/delivery/queue/queue-list.ts'
import { MAX_COUNTED } from '../../../kernel/db/bounded-read.ts'
import { isId } from '../../../platform/ids.ts'
import { type Command, type CommandFlags, JSON_FLAG, OperatorError, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { FILTER_OPTIONS, FILTER_USAGE, isoOf, readFilter, whileReadable } from './filter.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 1_000
/** Groups that are shown on a terminal. */
const MAX_GROUPS = 20

export const queueList: Command = {
  name: 'queue list',
  usage: `${FILTER_USAGE} [--by team|domain] [--limit N] [--after CURSOR] [--json]`,
  summary: `List the queued mail of all teams. States: ${QUEUE_STATES.join(', ')}`,
  options: {
    ...FILTER_OPTIONS,
    by: { type: 'string' },
    limit: { type: 'string' },
    after: { type: 'string' },
    ...JSON_FLAG,
  },
  words: 0,
  async run({ config, flags, print }) {
    const filterFor = readFilter(flags)
    const by = groupingOf(flags)
    const limit = limitOf(flags)
    const after = flags.after === undefined ? null : cursorOf(String(flags.after))
    await withDatabase(config, async (db) => {
      const filter = await filterFor(db)
      const summary = await whileReadable(summarizeWaiting(db, filter, by))
      const page = await whileReadable(listWaiting(db, filter, { limit, after }))
      const next = page.hasMore ? textOf(page.deliveries.at(-1)!) : null
      const lines = flags.json ? [jsonOf(page, summary, { by, next })] : linesOf(page, summary, { by, next })
      for (const line of lines) print(line)
    })
  },
}

type Page = Awaited<ReturnType<typeof listWaiting>>
type Summary = Awaited<ReturnType<typeof summarizeWaiting>>
interface Showing {
  readonly by: GroupBy
  /** Null: this is the last page. */
  readonly next: string | null
}

const jsonOf = ({ deliveries, hasMore }: Page, { groups, capped }: Summary, { by, next }: Showing) =>
  JSON.stringify({
    object: 'list',
    has_more: hasMore,
    next,
    summary: groups.map(({ state, group, recipients, emails, oldestDueAt, newestDueAt }) => ({
      ...{ state, [by]: group, recipients, emails },
      ...{ oldest_due_at: oldestDueAt, newest_due_at: newestDueAt },
      /** Whether these are all: of each state so many recipients are counted, the ones that are due first. */
      is_complete: !capped.includes(state),
    })),
    data: deliveries.map((one) => ({
      ...{ state: one.state, team: one.team, team_id: one.teamId },
      ...{ email_id: one.emailId, recipient: one.recipient, subject: one.subject },
      ...{ attempts: one.attempts, due_at: one.dueAt, give_up_at: one.giveUpAt },
      ...{ parked_for: one.parkedFor, last_reply: one.lastReply },
    })),
  })

function linesOf({ deliveries }: Page, { groups, capped }: Summary, { by, next }: Showing): string[] {
  if (groups.length === 0) return ['Nothing waits.']
  const hidden = groups.length - MAX_GROUPS
  return [
    ...tableOf(groups.slice(0, MAX_GROUPS).map((group) => summaryColumns(group, by, capped))),
    ...(hidden > 0 ? [`… and ${hidden} more lines: use --json to list all`] : []),
    ...capped.map(
      (state) => `State ${state} has more than ${MAX_COUNTED} recipients: only the first ${MAX_COUNTED} are counted.`,
    ),
    '',
    ...tableOf(deliveries.map(deliveryColumns)),
    ...(next ? [`… and more: --limit N shows up to ${MAX_LIMIT}; --after ${next} shows the next page`] : []),
  ]
}

const summaryColumns = (
  { state, group, recipients, emails, oldestDueAt, newestDueAt }: WaitingGroup,
  by: GroupBy,
  capped: readonly QueueState[],
) => ({
  STATE: state,
  [by.toUpperCase()]: group,
  RECIPIENTS: `${capped.includes(state) ? 'at least ' : ''}${recipients}`,
  EMAILS: String(emails),
  'DUE FROM': isoOf(oldestDueAt),
  TO: isoOf(newestDueAt),
})

const deliveryColumns = ({ state, dueAt, attempts, team, emailId, recipient, ...rest }: WaitingDelivery) => ({
  STATE: state,
  DUE: isoOf(dueAt),
  ATTEMPTS: String(attempts),
  TEAM: team,
  EMAIL: emailId,
  RECIPIENT: recipient,
  SUBJECT: shortened(rest.subject, 40),
  'LAST REPLY': shortened(rest.lastReply?.reply ?? (rest.parkedFor === null ? '' : `waits for ${rest.parkedFor}`), 160),
})

const shortened = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

function groupingOf({ by = 'team' }: CommandFlags): GroupBy {
  if (!GROUPINGS.includes(by as GroupBy))
    throw new OperatorError(`--by must be ${GROUPINGS.join(' or ')}, not \`${by}\`.`)
  return by as GroupBy
}

function limitOf({ limit = String(DEFAULT_LIMIT) }: CommandFlags): number {
  const number = Number(limit)
  if (!Number.isInteger(number) || number < 1 || number > MAX_LIMIT)
    throw new OperatorError(`--limit must be a whole number from 1 to ${MAX_LIMIT}, not \`${limit}\`.`)
  return number
}

/** As one word for the command line. */
const textOf = ({ state, priority, dueAt, teamId, emailId, position }: QueueCursor) =>
  [state, priority, dueAt, teamId, emailId, position].join('_')

function cursorOf(text: string): QueueCursor {
  const [state, priority, dueAt = '', teamId = '', emailId = '', position] = text.split('_')
  const isCursor =
    QUEUE_STATES.includes(state as QueueState) &&
    ['0', '1'].includes(priority!) &&
    !Number.isNaN(Date.parse(dueAt)) &&
    isId(teamId) &&
    isId(emailId) &&
    /^\d{1,4}$/.test(position ?? '')
  if (!isCursor) throw new OperatorError('--after must be a cursor printed by `queue list`.')
  return { state: state as QueueState, priority: Number(priority), dueAt, teamId, emailId, position: Number(position) }
}
