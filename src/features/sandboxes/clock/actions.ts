import type { Static } from 'typebox'
import type { Actor } from '../../../kernel/http/actor.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { readMoment } from '../../../mail/moment.ts'
import { parseMilliseconds } from '../../../platform/duration.ts'
import { requireSandbox } from '../actions.ts'
import { advance, type End } from '../simulation/advance.ts'
import { readClock } from '../simulation/clock-store.ts'
import { entriesAt, readTimeline } from '../simulation/timeline.ts'
import { withClock } from '../simulation/with-clock.ts'
import type { ChangeClock, ChangedClock, ClockState } from './schema.ts'
import type { SandboxesClockServices } from './services.ts'

/** How long a call may take: clients wait a minute, and seldom more. */
const ADVANCE_TIMEOUT_MS = 50_000
const MAX_ADVANCE_MS = 10 * 366 * 86_400_000
/** Dates have four digits for the year, and a thousand years are taken already. */
const LAST = new Date('2200-01-01T00:00:00Z')

export async function getClock({ db }: SandboxesClockServices, actor: Actor): Promise<Static<typeof ClockState>> {
  return presentClock(await readClock(db, requireSandbox(actor)))
}

const presentClock = ({ now, isFrozen }: { now: Date; isFrozen: boolean }) => ({
  object: 'clock' as const,
  now: now.toISOString(),
  is_frozen: isFrozen,
})

/**
 * Moves the clock of a sandbox, and answers when everything has happened that was due on the way. A call that is cut off, whoever does
 * it, leaves the clock at one of the moments on the way, and the next one goes on from there.
 */
export async function changeClock(
  services: SandboxesClockServices,
  actor: Actor,
  { advance: distance, to, is_frozen }: Static<typeof ChangeClock>,
): Promise<Static<typeof ChangedClock>> {
  const { db, clock, config, wakeups } = services
  const team = requireSandbox(actor)
  if (distance === undefined && to === undefined && is_frozen === undefined)
    throw refusal('Provide `advance`, `to` or `is_frozen`.')
  if (distance !== undefined && to !== undefined) throw refusal('Use either `advance` or `to`, not both.')
  const targetFrom = readTarget(distance, to)
  // Before anything is changed, and again when nobody else moves it.
  targetFrom(clock.of(team).now())
  const moved = await withClock(services, { team, isFrozen: is_frozen ?? null }, async (taken) => {
    const from = taken.now
    const target = targetFrom(from)
    if (target !== null && config.HOLD === 'on') throw refusal('The clock cannot be moved while POSTWREN_HOLD is on.')
    if (target === null) return { steps: 0, isComplete: true, happened: [], hasMore: false }
    const known = await entriesAt(db, team, from)
    const {
      clock: reached,
      steps,
      end,
    } = await advance(services, taken, {
      ...{ target, withinMs: ADVANCE_TIMEOUT_MS, wakeups },
      stopping: services.messageWaits.stopping,
    })
    requireThere(end)
    const what = await readTimeline(db, team, { from, to: reached.now, known })
    if (reached.now > from) await services.retainFor(team)
    return { steps, isComplete: end === 'arrived', ...what }
  })
  if (!moved)
    throw new Problem(
      'resource_locked',
      'The clock of this sandbox is already being moved. Wait for that call to finish.',
    )
  const { steps, isComplete, happened, hasMore } = moved
  return {
    ...presentClock(await readClock(db, team)),
    is_complete: isComplete,
    steps,
    happened,
    has_more: hasMore,
  }
}

/** Null: it stays where it is. */
function readTarget(distance: string | undefined, to: string | undefined): (now: Date) => Date | null {
  if (to !== undefined) return (now) => within(now, momentOf(to, now), 'to')
  if (distance === undefined) return () => null
  const distanceMs = parseMilliseconds(distance)
  if (distanceMs === null) throw refusal('The `advance` must be a duration like `90 minutes` or `3 days`.')
  return (now) => within(now, new Date(now.getTime() + distanceMs), 'advance')
}

function momentOf(text: string, now: Date): Date {
  const reading = readMoment(text, now)
  if ('unclear' in reading) throw refusal('The `to` must be a date in ISO 8601, like `2027-01-01T09:00:00Z`.')
  if (reading.moment < now)
    throw refusal(`The \`to\` must not be in the past. It is ${now.toISOString()} in this sandbox.`)
  return reading.moment
}

function within(now: Date, target: Date, name: string): Date {
  if (target.getTime() - now.getTime() > MAX_ADVANCE_MS) throw refusal(`The \`${name}\` must be at most 10 years away.`)
  if (target > LAST) throw refusal(`The \`${name}\` must be before the year ${LAST.getUTCFullYear()}.`)
  return target
}

const refusal = (message: string) => new Problem('validation_error', message)

function requireThere(end: End) {
  if (end === 'gone' || end === 'stopped')
    throw new Problem('not_found', 'The sandbox expired or was suspended while its clock was moving.')
  if (end === 'lost')
    throw new Problem('service_unavailable', 'Another process took over the clock. Retry to continue.')
}
