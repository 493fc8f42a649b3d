/**
 * How much a provider gets in a day from a sender that it does not know yet: a source, or a sending domain. The first day has 50 messages,
 * each sending day 1.4 times as many as the one before. Days are those of UTC, counted from 1970.
 */
export interface WarmUp {
  /** How many sending days went well. */
  readonly step: number
  /** The day that the counts are of. */
  readonly day: number
  /** Given out to nodes on that day, and not given back. */
  readonly leased: number
  /** What was heard on that day. */
  readonly taken: number
  readonly deferred: number
  readonly isBlocked: boolean
  /** The last day on which anything was sent. Null: never. */
  readonly lastSentOn: number | null
  /** It is known: nothing is counted out any more. */
  readonly isFinished: boolean
}

export type WarmUpEvent =
  /** A node wants to send so many. */
  | { readonly kind: 'leased'; readonly wanted: number }
  /** What a node has heard of those that it had for this day, and how many it did not need. */
  | {
      readonly kind: 'heard'
      readonly day: number
      readonly taken: number
      readonly deferred: number
      readonly returned: number
    }
  | { readonly kind: 'blocked'; readonly day: number }
  | { readonly kind: 'restarted' }
  | { readonly kind: 'finished' }

export const FIRST_ALLOWANCE = 50
export const DAILY_GROWTH = 1.4
/** A day with more than this of deferred messages is not followed by a larger one. */
export const MAX_DEFERRED_SHARE = 0.05
export const STEPS_BACK = 2
export const SILENT_DAYS = 30
/** Who may send so many in a day has been seen by then: 23 sending days without trouble. */
export const WARM_ALLOWANCE = 100_000

const DAY_MS = 86_400_000

export const dayOf = (moment: Date) => Math.floor(moment.getTime() / DAY_MS)
export const startOfDay = (day: number) => new Date(day * DAY_MS)

/** Of 1.4 x 1.4: a computer has a little less than 1.96. */
const ROUNDING = 1e-6

export const allowanceAt = (step: number) => Math.floor(FIRST_ALLOWANCE * DAILY_GROWTH ** step + ROUNDING)

/** How much may be sent in all on the day of the counts. Null: there is no limit. */
export const allowanceOf = ({ step, isFinished }: Pick<WarmUp, 'step' | 'isFinished'>) =>
  isFinished ? null : allowanceAt(step)

const begun = (day: number): WarmUp => ({
  step: 0,
  day,
  leased: 0,
  taken: 0,
  deferred: 0,
  isBlocked: false,
  lastSentOn: null,
  isFinished: false,
})

/** What follows from an event on a day, and how many of those that a node wants it may send. */
export function nextWarmUp(
  state: WarmUp | null,
  event: WarmUpEvent,
  today: number,
): { readonly state: WarmUp; readonly granted: number } {
  const current = state === null ? begun(today) : onDay(state, today)
  if (event.kind === 'leased') return leased(current, event.wanted)
  return { state: afterNews(current, event), granted: 0 }
}

/** Clocks of machines differ by less than a day: one was far ahead, and was set back. */
export const isFarAhead = (day: number, today: number) => day - today > 1

/**
 * The state on a later day. A clock that is behind the others gets no day of its own: what was given out on the later day counts on. So does
 * what was given out on a day that is far ahead, and that day is today: it would be years until the next one.
 */
export function onDay(state: WarmUp, today: number): WarmUp {
  if (isFarAhead(state.day, today))
    return { ...state, day: today, lastSentOn: state.lastSentOn === null ? null : Math.min(state.lastSentOn, today) }
  if (today <= state.day) return state
  const { lastSentOn } = state
  if (lastSentOn !== null && today - lastSentOn > SILENT_DAYS) return begun(today)
  const step = state.step + (hasGoneWell(state) ? 1 : 0)
  const isFinished = state.isFinished || allowanceAt(step) >= WARM_ALLOWANCE
  return { ...begun(today), step, lastSentOn, isFinished }
}

/** Something was sent, and little of it deferred. What was given to a node that died counts as sent. */
const hasGoneWell = ({ leased, taken, deferred, isBlocked, isFinished }: WarmUp) =>
  !isFinished && !isBlocked && leased > 0 && deferred <= (taken + deferred) * MAX_DEFERRED_SHARE

function leased(state: WarmUp, wanted: number) {
  const allowance = allowanceOf(state)
  const granted = allowance === null ? wanted : Math.max(0, Math.min(wanted, allowance - state.leased))
  if (granted === 0) return { state, granted }
  return {
    state: { ...state, leased: state.leased + (allowance === null ? 0 : granted), lastSentOn: state.day },
    granted,
  }
}

function afterNews(state: WarmUp, event: Exclude<WarmUpEvent, { kind: 'leased' }>): WarmUp {
  switch (event.kind) {
    case 'heard':
      // Of a day that is over by now: what follows from it was decided.
      if (event.day !== state.day) return state
      return {
        ...state,
        leased: Math.max(0, state.leased - event.returned),
        taken: state.taken + event.taken,
        deferred: state.deferred + event.deferred,
      }
    case 'blocked':
      // Whatever was on its way hears the same: that is one block.
      if (event.day !== state.day || state.isBlocked || state.isFinished) return state
      return { ...state, isBlocked: true, step: Math.max(0, state.step - STEPS_BACK) }
    case 'restarted':
      return { ...begun(state.day), leased: state.leased, lastSentOn: state.lastSentOn }
    case 'finished':
      return { ...state, isFinished: true, lastSentOn: state.day }
    default:
      return event satisfies never
  }
}
