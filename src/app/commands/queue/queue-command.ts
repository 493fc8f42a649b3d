import type { QueueChange, QueueChanged, WaitingCount } from '../../../features/emails/delivery/queue/queue-changes.ts'
import type { QueueFilter } from '../../../features/emails/delivery/queue/queue-filter.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { type Command, type CommandFlags, type CommandInput, OperatorError, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { stopOnInterrupt } from '../import/stop-on-interrupt.ts'
import { Progress } from '../progress.ts'
import { reasonOf } from '../team-operations.ts'
import { auditing } from './audit.ts'
import { MAIL_OPTIONS, MAIL_USAGE, readFilter, whileReadable } from './filter.ts'

// What the commands have in common that do something to mail which waits.

/** What is done, in words and in the database. */
interface QueueCommand {
  readonly name: 'retry' | 'cancel' | 'move' | 'bounce'
  readonly usage?: string
  readonly summary: string
  readonly options?: Command['options']
  /** Whether it takes a filter or --all: without either, everything would be meant. */
  readonly isNarrow: boolean
  readonly would: string
  readonly did: string
  /** What else the flags say, checked before there is a database. */
  read?(flags: CommandFlags, config: CommandInput['config']): Promise<object> | object
  /** Of the mail that the filter chooses, that which this can be done to. */
  narrow?(filter: QueueFilter): QueueFilter
  act(db: Database, change: QueueChange & { readonly reason: string }, details: object): Promise<QueueChanged>
}

export const steering = (steer: QueueCommand): Command => ({
  name: `queue ${steer.name}`,
  usage: `${steer.usage ? `${steer.usage} ` : ''}${MAIL_USAGE}${steer.isNarrow ? ' | --all' : ''}`,
  summary: `${steer.summary}. Filters can be combined. --dry-run only counts`,
  options: { ...MAIL_OPTIONS, ...(steer.isNarrow && { all: { type: 'boolean' } }), ...steer.options },
  words: 0,
  async run({ config, flags, print }) {
    const { 'dry-run': isDryRun = false, json: isJson, reason: _reason, all, ...rest } = flags
    const filters = Object.keys(rest).filter((name) => name in MAIL_OPTIONS)
    if (steer.isNarrow) requireFilter(steer.name, { isAll: all === true, isFiltered: filters.length > 0 })
    const filterFor = readFilter(rest)
    const reason = reasonOf(flags)
    const more = (await steer.read?.(flags, config)) ?? {}
    const interrupt = stopOnInterrupt()
    const progress = new Progress()
    try {
      await withDatabase(config, async (db) => {
        const chosen = await filterFor(db)
        const filter = steer.narrow?.(chosen) ?? chosen
        const options = {
          filter,
          signal: interrupt.signal,
          onProgress: ({ seen, changed }: { seen: number; changed: number }) =>
            progress.show(`${steer.did} ${changed.toLocaleString('en-US')}, rows of the queue looked at`, seen),
        }
        const details = { ...detailsOf(chosen), ...more, ...(reason && { reason }) }
        const record = auditing(`queue.${steer.name}`, details)
        const work = async (): Promise<QueueChanged | WaitingCount> => {
          if (!isDryRun) return steer.act(db, { ...options, record, reason }, more)
          const { countWanted } = await import('../../../features/emails/delivery/queue/queue-changes.ts')
          return countWanted(db, options)
        }
        const result = await whileReadable(work())
        progress.end()
        if (result.isStopped) process.exitCode = 130
        const shown = { steer, isDryRun: Boolean(isDryRun), filter: chosen }
        if (isJson) print(JSON.stringify(jsonOf(result, shown)))
        else for (const line of linesOf(result, shown)) print(line)
      })
    } finally {
      interrupt.end()
    }
  },
})

function requireFilter(name: string, { isAll, isFiltered }: { isAll: boolean; isFiltered: boolean }) {
  if (isAll && isFiltered) throw new OperatorError('--all goes with no other filter.')
  if (!isAll && !isFiltered)
    throw new OperatorError(
      `Say which mail: a filter, or --all. Example: postwren queue ${name} --domain example.com --dry-run`,
    )
}

/** As the audit log has it. The team is the one whose log it is. */
function detailsOf({ dueBefore, team: _team, tag, ...rest }: QueueFilter): object {
  return {
    ...rest,
    ...(tag && { tag: tag.value === undefined ? tag.name : `${tag.name}:${tag.value}` }),
    ...(dueBefore && { due_before: dueBefore.toISOString() }),
  }
}

interface Shown {
  readonly steer: QueueCommand
  readonly isDryRun: boolean
  readonly filter: QueueFilter
}

const jsonOf = (result: QueueChanged | WaitingCount, { steer, isDryRun }: Shown) => ({
  object: `queue_${steer.name}`,
  recipients: result.recipients,
  in_flight: result.inFlight,
  is_complete: !result.isStopped,
  dry_run: isDryRun,
  ...('examples' in result && {
    examples: result.examples.map(({ email, recipient }) => ({ email_id: email, recipient })),
  }),
})

function linesOf(result: QueueChanged | WaitingCount, { steer, isDryRun, filter }: Shown): string[] {
  const { recipients, inFlight, isStopped } = result
  const count = `${recipients} ${recipients === 1 ? 'recipient' : 'recipients'}`
  const when = filter.dueBefore ? `, due before ${filter.dueBefore.toISOString().replace(/\.\d+/, '')}` : ''
  const examples = 'examples' in result ? result.examples : []
  return [
    `${isStopped ? 'Stopped. ' : ''}${isDryRun ? steer.would : steer.did} mail to ${count}${isStopped ? ' so far' : ''}${when}.`,
    ...(inFlight > 0
      ? [`Left alone, since it is being sent at this moment: ${inFlight}. Run it again for these.`]
      : []),
    ...(examples.length > 0
      ? ['For example:', ...tableOf(examples.map(({ email, recipient }) => ({ EMAIL: email, RECIPIENT: recipient })))]
      : []),
  ]
}
