import type { Database } from '../../../kernel/db/database.ts'
import { LoopShell } from '../../../kernel/db/loop-shell.ts'
import { FIRST_VIRTUAL } from '../../../kernel/db/moments.ts'
import { LIVING_NODES } from '../../../kernel/db/presence.ts'
import { join, sql } from '../../../kernel/db/sql.ts'
import { VIRTUAL_OFFSET_MS } from '../../../platform/clock.ts'
import type { Loop } from '../../../platform/concurrency/loop.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { moveAll, releaseClock, virtualMoment } from './clock-store.ts'
import type { ClockParts, DueWork } from './due-work.ts'

/** Of all time, looking may take one part in this many. */
const SHARE = 20
/** However long a look took: what is due then is late by no more than this. */
const MAX_REST_MS = 5_000

interface Clock {
  readonly team: string
  readonly version: number
  /** What time it is there. */
  readonly now: Date
  readonly isFrozen: boolean
  readonly first: Date
}

/**
 * Makes due what comes due in sandboxes whose clocks run, but not in real time. It looks once in a second, and for what is due sooner at
 * its moment. Any number of processes may do so: who is late finds nothing. What stands still is looked at, too: what was written down
 * just when its clock was moved may be over already. Clocks of processes that were killed while they moved them are given back.
 */
export class RunningClocks {
  readonly #db: Database
  readonly #dueWork: DueWork
  readonly #shell: LoopShell
  readonly #loop: Loop
  #timer: NodeJS.Timeout | undefined
  #restUntil = 0

  constructor(parts: ClockParts & { readonly log: Log }) {
    this.#db = parts.db
    this.#dueWork = parts.dueWork
    this.#shell = new LoopShell(parts, 'sandboxes')
    this.#loop = this.#shell.addLoopOn([], () => this.#poll())
  }

  start() {
    return this.#shell.start()
  }

  async stop(_graceMs: number) {
    clearTimeout(this.#timer)
    await this.#shell.stop()
  }

  /** Looks once, then returns. */
  async runDue() {
    await this.#work()
  }

  async #poll(): Promise<boolean> {
    if (performance.now() < this.#restUntil) return false
    await this.#work()
    return false
  }

  async #work() {
    const begun = performance.now()
    await this.#release()
    const clocks = await this.#find()
    this.#restUntil = begun + Math.min((performance.now() - begun) * SHARE, MAX_REST_MS)
    const isDue = ({ now, first }: Clock) => first.getTime() <= now.getTime() + VIRTUAL_OFFSET_MS
    // What goes wrong with one of them is not the others' business.
    for (const clock of clocks.filter(isDue))
      await this.#shell.logErrors(() => this.#makeDue(clock), 'advancing a clock')
    this.#wakeFor(clocks.filter((clock) => !clock.isFrozen && !isDue(clock)))
  }

  /** The clocks of those who were killed. */
  async #release() {
    const left = await this.#db.query<{ team: string; node: number; version: number; now: Date; resumes: boolean }>(sql`
      select team_id as team, holder as node, version, frozen_at as now, resumes from sandbox_clocks
      where holder is not null and holder not in (${LIVING_NODES})`)
    for (const { resumes, ...clock } of left) await releaseClock(this.#db, { ...clock, wasFrozen: !resumes }, null)
  }

  #find(): Promise<Clock[]> {
    const now = this.#db.clock.now()
    return this.#db.queryPooled<Clock>(sql`
      select * from (
        select c.team_id as team, c.version, c.frozen_at is not null as "isFrozen",
          coalesce(c.frozen_at, ${now}::timestamptz + interval '1 millisecond' * c.offset_ms) as now, least(${join(
            this.#dueWork.moments.map((moments) => moments.first(sql`c.team_id`, FIRST_VIRTUAL)),
            ', ',
          )}) as first
        from sandbox_clocks c where c.holder is null) clocks
      where first is not null`)
  }

  async #makeDue({ team, version, now }: Clock) {
    const until = sql`${virtualMoment(now)}::timestamptz`
    const [real, when] = [this.#db.clock.now(), sql`exists (select from clock)`]
    await this.#db.queryPooled(sql`
      with clock as (
        select from sandbox_clocks where team_id = ${team} and version = ${version} and holder is null for share),
      ${moveAll(this.#dueWork, sql`${team}::uuid`, { until, real, when })}
      select`)
    for (const { channel } of this.#dueWork.moments) this.#db.signals.announce(channel)
  }

  #wakeFor(clocks: readonly Clock[]) {
    const waits = clocks.map(({ now, first }) => first.getTime() - VIRTUAL_OFFSET_MS - now.getTime())
    const nextMs = Math.min(...waits)
    clearTimeout(this.#timer)
    if (nextMs < 1_000) this.#timer = setTimeout(() => this.#loop.wake(), Math.max(1, nextMs)).unref()
  }
}
