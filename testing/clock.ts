import { parseDuration } from '../src/platform/duration.ts'
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

  /** One call works for some time; what is left is for the next ones. */
  async function go(first: object, target: string | null): Promise<Advance> {
    let { is_complete, ...whole } = await change(first)
    while (!is_complete && target !== null) {
      const next = await change({ to: target })
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
      const begin = Date.parse((await state()).now)
      const seconds = typeof by === 'number' ? by / 1_000 : parseDuration(by)
      const target = seconds === null ? null : new Date(begin + seconds * 1_000).toISOString()
      // Words are Postwren's to read: what is no duration is for it to refuse.
      return go(typeof by === 'number' ? { to: target } : { advance: by }, target)
    },
    async to(moment) {
      const target = typeof moment === 'string' ? moment : moment.toISOString()
      return go({ to: target }, target)
    },
    async freeze() {
      await change({ is_frozen: true })
    },
    async unfreeze() {
      await change({ is_frozen: false })
    },
  }
}
