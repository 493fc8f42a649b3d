import { IDENTITY_KINDS, type IdentityKind } from '../../../features/emails/delivery/pace/identity.ts'
import {
  type EndedPauses,
  findPauses,
  type PauseFilter,
  stoppedWith,
} from '../../../features/emails/delivery/pace/pause-store.ts'
import { refusedIn } from '../../../features/emails/delivery/pace/pauses.ts'
import { findStops } from '../../../features/emails/delivery/transport/stop-store.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { type Command, type CommandFlags, JSON_FLAG, listOf, OperatorError, oneLine, tableOf } from '../command.ts'
import { withDatabase } from '../database.ts'
import { reasonOf } from '../team-operations.ts'
import { OPERATOR } from '../teams.ts'
import { isoOf } from './filter.ts'
import { pauseJson, shortened } from './shown.ts'

export const queuePauses: Command = {
  name: 'queue pauses',
  usage: '[--json]',
  summary: 'List the pauses: which mail waits since a destination refuses it, until when, and the reply that caused it',
  options: JSON_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const pauses = await withDatabase(config, async (db) => {
      const now = db.clock.now()
      return (await findPauses(db, now)).filter(({ pausedUntil }) => pausedUntil > now)
    })
    if (flags.json) return print(listOf(pauses.map(pauseJson)))
    if (pauses.length === 0) return print('Nothing is paused.')
    const rows = pauses.map((pause) => ({
      DESTINATION: shortened(pause.destination, 60),
      REFUSES: refusedIn(pause),
      KIND: pause.kind,
      IDENTITY: pause.identity,
      UNTIL: isoOf(pause.pausedUntil),
      REFUSALS: String(pause.refusals),
      REPLY: shortened(pause.reply, 160),
    }))
    for (const line of tableOf(rows)) print(line)
  },
}

export const queueLift: Command = {
  name: 'queue lift',
  usage: '--destination D | --kind K | --identity I | --all --reason WORDS [--dry-run] [--json]',
  summary:
    'Lift pauses before their end, named as `queue pauses` shows them: that mail is tried again, and the next refusal pauses it for longer. A destination that takes nothing is tried again, too. Filters can be combined',
  options: {
    ...{ destination: { type: 'string' }, kind: { type: 'string' }, identity: { type: 'string' } },
    ...{ all: { type: 'boolean' }, reason: { type: 'string' }, 'dry-run': { type: 'boolean' } },
    ...JSON_FLAG,
  },
  words: 0,
  async run({ config, flags, print }) {
    const filter = pauseFilterOf(flags)
    const reason = reasonOf(flags)
    const isDryRun = flags['dry-run'] === true
    if (!reason && !isDryRun)
      throw new OperatorError('Missing --reason. Example: --reason "We are off the blocklist again."')
    const { liftPausesIn } = await import('../../../features/operator/pauses.ts')
    const { pauses, stops } = await withDatabase(config, (db) =>
      isDryRun ? findLiftable(db, filter) : db.transaction((trx) => liftPausesIn(trx, OPERATOR, { filter, reason })),
    )
    if (flags.json)
      return print(JSON.stringify({ object: 'queue_lift', dry_run: isDryRun, data: pauses.map(pauseJson), stops }))
    if (pauses.length + stops.length === 0) return print('No such pause. List them: postwren queue pauses')
    const did = isDryRun ? 'Would lift' : 'Lifted'
    for (const pause of pauses) print(`${did}: ${pause.destination} refuses ${refusedIn(pause)}.`)
    for (const destination of stops.slice(0, MAX_STOPS_SHOWN)) print(`${did}: ${destination} takes nothing.`)
    if (stops.length > MAX_STOPS_SHOWN) print(`${did}: ${stops.length - MAX_STOPS_SHOWN} more that take nothing.`)
  },
}

const MAX_STOPS_SHOWN = 20

/** What would be lifted. */
async function findLiftable(db: Database, filter: PauseFilter): Promise<EndedPauses> {
  const now = db.clock.now()
  const pauses = (await findPauses(db, now)).filter(
    ({ pausedUntil, ...pause }) =>
      pausedUntil > now && Object.entries(filter).every(([key, value]) => pause[key as keyof PauseFilter] === value),
  )
  const named = stoppedWith(filter, pauses)
  const stops = (await findStops(db))
    .filter(({ destination, stoppedUntil }) => stoppedUntil > now && (named?.includes(destination) ?? true))
    .map(({ destination }) => destination)
  return { pauses, stops: stops.sort() }
}

function pauseFilterOf({ destination, kind, identity, all }: CommandFlags): PauseFilter {
  const filter = {
    ...(destination !== undefined && { destination: String(destination).trim() }),
    ...(kind !== undefined && { kind: kindOf(String(kind)) }),
    ...(identity !== undefined && { identity: String(identity).trim() }),
  }
  const isNarrow = Object.keys(filter).length > 0
  if (all ? isNarrow : !isNarrow)
    throw new OperatorError(
      all ? '--all goes with no other filter.' : 'Say which: --destination D, --kind K, --identity I, or --all.',
    )
  return filter
}

function kindOf(text: string): IdentityKind {
  if (!IDENTITY_KINDS.includes(text as IdentityKind))
    throw new OperatorError(`--kind must be one of ${IDENTITY_KINDS.join(', ')}, not \`${oneLine(text)}\`.`)
  return text as IdentityKind
}
