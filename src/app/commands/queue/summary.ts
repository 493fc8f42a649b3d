import { setTimeout as wait } from 'node:timers/promises'
import { commonPace, sourcesAt } from '../../../features/emails/delivery/pace/reach.ts'
import {
  type QueueSummary,
  SUMMARY_GROUPINGS,
  type SummaryGroup,
  type SummaryGrouping,
  summarizeQueue,
} from '../../../features/emails/delivery/queue/queue-summary.ts'
import { MAX_COUNTED } from '../../../kernel/db/bounded-read.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type Command, type CommandFlags, JSON_FLAG, OperatorError, oneLine, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { stopOnInterrupt } from '../import/stop-on-interrupt.ts'
import { FILTER_OPTIONS, FILTER_USAGE, isoOf, readFilter, whileReadable } from './filter.ts'
import {
  ageOf,
  paceJson,
  paceText,
  partialPaces,
  pauseJson,
  pauseText,
  rateText,
  shortened,
  stopJson,
  stopText,
} from './shown.ts'

/** What fits on a screen. */
const MAX_GROUPS = 15
const WATCH_MS = 2_000

export const queueSummary: Command = {
  name: 'queue',
  usage: `[--by ${SUMMARY_GROUPINGS.join('|')}] ${FILTER_USAGE} [--watch] [--json]`,
  summary:
    'Show how the queue stands: what waits, is in flight or deferred, the last reply, pauses and rates. --watch shows it again every two seconds',
  options: { ...FILTER_OPTIONS, by: { type: 'string' }, watch: { type: 'boolean' }, ...JSON_FLAG },
  words: 0,
  async run({ config, flags, print }) {
    const filterFor = readFilter(flags)
    const by = groupingOf(flags)
    const isWatching = flags.watch === true && process.stdout.isTTY === true
    const interrupt = stopOnInterrupt()
    try {
      await withDatabase(config, async (db) => {
        const filter = await filterFor(db)
        do {
          const summary = await whileReadable(summarizeQueue(db, { by, filter }))
          if (isWatching) process.stdout.write('\x1b[H\x1b[2J')
          for (const line of flags.json ? [jsonOf(summary)] : linesOf(summary, { config, now: db.clock.now() }))
            print(line)
          if (isWatching) await wait(WATCH_MS, undefined, { signal: interrupt.signal }).catch(() => {})
        } while (isWatching && !interrupt.signal.aborted)
      })
    } finally {
      interrupt.end()
    }
  },
}

function groupingOf({ by = 'destination' }: CommandFlags): SummaryGrouping {
  if (!SUMMARY_GROUPINGS.includes(by as SummaryGrouping))
    throw new OperatorError(`--by must be one of ${SUMMARY_GROUPINGS.join(', ')}, not \`${oneLine(String(by))}\`.`)
  return by as SummaryGrouping
}

const jsonOf = ({ by, groups, capped }: QueueSummary) =>
  JSON.stringify({
    object: 'queue',
    by,
    /** False: of some states only the first recipients are counted. */
    is_complete: capped.length === 0,
    capped,
    data: groups.map((group) => ({
      name: group.name,
      label: group.label,
      ...{ waiting: group.waiting, in_flight: group.inFlight, deferred: group.deferred },
      ...{ scheduled: group.scheduled, held: group.held, approval: group.approval },
      oldest_at: group.oldestAt,
      last_reply: group.lastReply,
      stop: group.stop && stopJson(group.stop),
      pauses: group.pauses.map(pauseJson),
      controllers: group.paces.map(paceJson),
    })),
  })

/** What a group without a name is. */
const UNNAMED: Readonly<Record<SummaryGrouping, string>> = {
  destination: '(not looked up yet)',
  provider: '(no known provider)',
  domain: '(none)',
  team: '(none)',
  identity: '(none)',
  route: '(by the rules)',
}

interface PrintContext {
  readonly config: Config
  readonly now: Date
}

function linesOf({ by, groups, capped }: QueueSummary, around: PrintContext): string[] {
  if (groups.length === 0) return ['Nothing waits.']
  const shown = groups.slice(0, MAX_GROUPS)
  const [head, ...rows] = tableOf(shown.map((group) => columnsOf(group, by, around)))
  return [
    head!,
    ...shown.flatMap((group, index) => [rows[index]!, ...notesOf(group, around).map((note) => `    ${note}`)]),
    ...(groups.length > MAX_GROUPS ? [`… and ${groups.length - MAX_GROUPS} more: use --json to list all`] : []),
    ...capped.map(
      (state) => `State ${state} has more than ${MAX_COUNTED} recipients: only the first ${MAX_COUNTED} are counted.`,
    ),
  ]
}

const columnsOf = (group: SummaryGroup, by: SummaryGrouping, { config, now }: PrintContext) => ({
  [by.toUpperCase()]: shortened(group.label ?? group.name ?? UNNAMED[by], 50),
  WAITING: String(group.waiting),
  'IN FLIGHT': String(group.inFlight),
  DEFERRED: String(group.deferred),
  HELD: String(group.held),
  SCHEDULED: String(group.scheduled),
  OLDEST: group.oldestAt ? ageOf(group.oldestAt, now) : '',
  RATE: rateText(commonPace(group.paces, sourcesAt(group.name, config))?.rate ?? null),
})

const MAX_PAUSES = 3

function notesOf({ name, stop, pauses, paces, approval, lastReply }: SummaryGroup, { config }: PrintContext): string[] {
  const hidden = pauses.length - MAX_PAUSES
  const slower = partialPaces(paces, sourcesAt(name, config))
  return [
    ...(approval > 0 ? [`waiting for approval: ${approval}`] : []),
    ...(stop ? [stopText(stop)] : []),
    ...pauses.slice(0, MAX_PAUSES).map(pauseText),
    ...(hidden > 0 ? [`… and ${hidden} more pauses: postwren queue pauses`] : []),
    ...slower.slice(0, MAX_PAUSES).map(paceText),
    ...(slower.length > MAX_PAUSES
      ? [`… and ${slower.length - MAX_PAUSES} more senders slowed: use --json to list all`]
      : []),
    ...(lastReply ? [`last reply, ${isoOf(lastReply.at)}: ${shortened(oneLine(lastReply.reply), 140)}`] : []),
  ]
}
