// How fast a destination may be written to, found out from its answers: state, event and now give the next state. No I/O, no clock.
//
// There is no state as long as nobody has asked for less: mail goes as fast as it can. The first throttle reply makes one. From then on
//
// - a throttle reply halves rate and connections, and nothing is sent for 5 s, twice as long for each one in a row. What began before
//   that is over says nothing new: it counts once for all.
// - in a round with deferrals under 2 %, in which at least half of the rate was used, the rate grows by a step: four steps back to
//   where it was throttled last, then tiny ones, since the limit is near, and beyond that ever larger ones, since the limit has moved.
//   A plain sawtooth from half the limit to the limit would use three quarters of it. Near the floor all steps are large.

/** Rates are messages in a second, of all nodes together. Times are milliseconds. */
export interface PaceState {
  readonly rate: number
  /** The rate at which the last throttle reply came. */
  readonly limit: number
  /** How often in a row it came near the same rate: the surer the limit, the longer it is left alone. */
  readonly confirmations: number
  /** Null: as many as the ceiling says. */
  readonly connections: number | null
  /** Throttle replies in a row. */
  readonly complaints: number
  readonly cutAt: number
  /** Nothing is sent before. Replies to what began before it are those that were heard already. */
  readonly restUntil: number
  /** Since when the answers of this round are counted. */
  readonly roundAt: number
  readonly taken: number
  readonly deferred: number
}

export type PaceEvent =
  /** A reply to something that began then asks for less. */
  | { readonly kind: 'throttled'; readonly startedAt: number }
  /** So many answers came since they were last told. */
  | { readonly kind: 'counted'; readonly taken: number; readonly deferred: number }

/** What the controller is not told by its state. */
export interface PaceBounds {
  /** Null: there is none. */
  readonly rate: number | null
  /** Of all nodes together. */
  readonly connections: number
  /** How fast mail went until now, for the first throttle reply. */
  readonly observedRate: number
}

export interface PaceStep {
  /** Null: nothing holds it back any more. */
  readonly state: PaceState | null
  /** Why the rate is another one. */
  readonly cause: 'throttled' | 'grown' | 'forgotten' | null
}

export const MIN_RATE_PER_SECOND = 1 / 60
const MAX_RATE_PER_SECOND = 100_000
/** The first cut of a destination with little traffic: one mail that is throttled does not make the next hundred wait for an hour. */
const MIN_FIRST_RATE = 1
const FIRST_REST_MS = 5_000
export const MAX_REST_MS = 600_000

const MAX_DEFERRED_SHARE = 0.02
const MIN_USED = 0.5
const ROUND_MS = 10_000
/** A round has at least so many messages. */
const MIN_ROUND_MESSAGES = 5

/** Up to this part of the limit it grows in a few steps, from there in tiny ones. */
const FAST_GROWTH_SHARE = 0.95
const STEPS_BACK = 4
const SLOW_STEP_SHARE = 0.004
const MAX_CONFIRMATIONS = 3
/** Beyond the limit the step grows with the distance; no step is larger than this part of the rate. */
const ACCELERATION = 0.25
const MAX_STEP = 0.25
/** Whoever asks for less down here refuses all mail for a while. That is no limit, and once it is over nobody goes on as if it were one. */
const MAX_OUTAGE_RATE = 3 * MIN_RATE_PER_SECOND
/** Throttled within this of where it was the last time, it is the same limit. */
const SAME_LIMIT = 0.15

/** A destination that has taken twice its old limit, a day after the last throttle reply, has none that matters. */
const FORGET_MS = 86_400_000
const FORGET_FACTOR = 2

export function nextPace(
  state: PaceState | null,
  event: PaceEvent,
  { now, bounds }: { now: number; bounds: PaceBounds },
): PaceStep {
  const known = state && atTime(state, now)
  if (event.kind === 'throttled') return throttled(known, event.startedAt, { now, bounds })
  return known ? counted(known, event, { now, bounds }) : { state, cause: null }
}

/** No rest is that long: the clock was set back, and the rest is over. A round begins with the end of a rest, or later. */
export const isSetBack = ({ roundAt }: PaceState, now: number) => roundAt > now + MAX_REST_MS

const atTime = (state: PaceState, now: number): PaceState =>
  isSetBack(state, now) ? { ...state, cutAt: now, restUntil: now, roundAt: now, taken: 0, deferred: 0 } : state

/** Until when nothing is sent; null: something may be. */
export const restOf = (state: PaceState, now: number): number | null =>
  state.restUntil > now && state.restUntil <= now + MAX_REST_MS ? state.restUntil : null

type Moment = { readonly now: number; readonly bounds: PaceBounds }

function throttled(state: PaceState | null, startedAt: number, { now, bounds }: Moment): PaceStep {
  if (state && startedAt < state.restUntil) return { state, cause: null }
  const from = atMost(state?.rate ?? Math.max(bounds.observedRate, 2 * MIN_FIRST_RATE), bounds)
  const isSame = state !== null && Math.abs(from - state.limit) <= SAME_LIMIT * state.limit
  const complaints = state?.complaints ?? 0
  const restUntil = now + Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** complaints)
  const next: PaceState = {
    rate: Math.max(MIN_RATE_PER_SECOND, from / 2),
    limit: from,
    confirmations: isSame ? Math.min(MAX_CONFIRMATIONS, state.confirmations + 1) : 0,
    connections: Math.max(1, Math.floor(connectionsOf(state, bounds) / 2)),
    complaints: Math.min(complaints + 1, 30),
    cutAt: now,
    restUntil,
    roundAt: restUntil,
    taken: 0,
    deferred: 0,
  }
  return { state: next, cause: 'throttled' }
}

function counted(state: PaceState, event: Extract<PaceEvent, { kind: 'counted' }>, { now, bounds }: Moment): PaceStep {
  const taken = state.taken + event.taken
  const deferred = state.deferred + event.deferred
  const elapsed = now - state.roundAt
  const rate = atMost(state.rate, bounds)
  if (elapsed < Math.max(ROUND_MS, (MIN_ROUND_MESSAGES / rate) * 1_000))
    return { state: { ...state, taken, deferred }, cause: null }
  const next = { ...state, rate, roundAt: now, taken: 0, deferred: 0 }
  const isUsed = taken >= (MIN_USED * rate * elapsed) / 1_000
  if (!isUsed || deferred > MAX_DEFERRED_SHARE * (taken + deferred)) return { state: next, cause: null }
  const grown = atMost(Math.min(rate + stepOf({ ...state, rate }), MAX_RATE_PER_SECOND), bounds)
  if (now - state.cutAt > FORGET_MS && grown >= FORGET_FACTOR * state.limit) return { state: null, cause: 'forgotten' }
  const connections = state.connections === null ? null : state.connections + 1
  return {
    state: {
      ...next,
      rate: grown,
      complaints: Math.max(0, state.complaints - 1),
      connections: connections !== null && connections < bounds.connections ? connections : null,
    },
    cause: grown > rate ? 'grown' : null,
  }
}

function stepOf({ rate, limit, confirmations }: PaceState): number {
  const near = FAST_GROWTH_SHARE * limit
  if (rate < MAX_OUTAGE_RATE) return MAX_STEP * rate
  if (rate < near) return Math.min(near - rate + SLOW_STEP_SHARE * limit, (near - limit / 2) / STEPS_BACK)
  const tiny = (SLOW_STEP_SHARE * limit) / 2 ** confirmations
  return Math.min(tiny + Math.max(0, rate - limit * (1 + SAME_LIMIT / 3)) * ACCELERATION, MAX_STEP * rate)
}

/** How many connections all nodes together may have. */
export const connectionsOf = (state: PaceState | null, bounds: Pick<PaceBounds, 'connections'>) =>
  Math.min(state?.connections ?? bounds.connections, bounds.connections)

const atMost = (rate: number, bounds: PaceBounds) =>
  bounds.rate === null ? rate : Math.max(MIN_RATE_PER_SECOND, Math.min(rate, bounds.rate))

/** The rate that holds now: a ceiling that was lowered counts at once. */
export const rateOf = (state: PaceState, ceiling: number | null) =>
  ceiling === null ? state.rate : Math.min(state.rate, ceiling)
