import { normalDuration, parseMilliseconds } from '../src/platform/duration.ts'
import { type Access, call } from './http.ts'
import type { Advance, ClockState } from './types.ts'

/** The time of a sandbox. It goes forward only. */
export interface Clock {
  now(): Promise<Date>
  /** By `3 days`, `1 hour 30 minutes` or so many milliseconds. Everything that is due on the way has happened when it is done. */
  advance(by: string | number): Promise<Advance>
  /** To this moment; everything that is due on the way has happened when it is done. */
  to(moment: Date | string): Promise<Advance>
  /** Time stands still between advances. */
  freeze(): Promise<void>
  unfreeze(): Promise<void>
}

interface Changed extends Advance {
  is_complete: boolean
}

export function clockOf(access: Access): Clock {
  const state = () => call<ClockState>(access, 'GET', '/clock')
  const change = (body: object) => call<Changed>(access, 'PATCH', '/clock', body)

  /** One call works for some time; what is left until the target is for the next ones. */
  async function go(first: object, targetMs: number): Promise<Advance> {
    let { is_complete, ...whole } = await change(first)
    while (!is_complete && !Number.isNaN(targetMs)) {
      const next = await change({ advance: inWords(targetMs - Date.parse(whole.now)) })
      is_complete = next.is_complete
      whole = {
        ...{ now: next.now, is_frozen: next.is_frozen, has_more: whole.has_more || next.has_more },
        ...{ steps: whole.steps + next.steps, happened: [...whole.happened, ...next.happened] },
      }
    }
    return whole
  }

  return {
    now: async () => new Date((await state()).now),
    async advance(by) {
      if (typeof by === 'number' && !(by >= 0))
        throw new RangeError('clock.advance() takes milliseconds, 0 or more, or words like "3 days".')
      const begin = Date.parse((await state()).now)
      // Words are Postwren's to read: what is no duration is for it to refuse.
      const distanceMs = typeof by === 'number' ? by : (parseMilliseconds(by) ?? Number.NaN)
      return go({ advance: typeof by === 'number' ? inWords(by) : by }, begin + distanceMs)
    },
    async to(moment) {
      const target = typeof moment === 'string' ? moment : moment.toISOString()
      return go({ to: target }, Date.parse(target))
    },
    async freeze() {
      await change({ is_frozen: true })
    },
    async unfreeze() {
      await change({ is_frozen: false })
    },
  }
}

/** Not the moment itself: a clock that runs may be there before the call is. */
function inWords(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms))
  return `${normalDuration(Math.floor(whole / 1_000))} ${whole % 1_000} milliseconds`
}
