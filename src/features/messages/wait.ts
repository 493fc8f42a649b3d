import { setTimeout as pause } from 'node:timers/promises'
import type { Static } from 'typebox'
import { currentSnapshot, endedBefore, endedHereBefore } from '../../kernel/db/snapshots.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { readWhatArrived } from '../inbound/index.ts'
import { type After, counts, findThere, readAfter } from './after.ts'
import { comparePositions, type Position, positionsOf } from './arrivals.ts'
import { type Head, type Matcher, type MessageFilter, matcherFor } from './match.ts'
import type { WaitQuery } from './schema.ts'
import type { WaitServices } from './services.ts'
import { stopping, type Waiter } from './waits.ts'

const MAX_WAIT_SECONDS = 55
const DEFAULT_SECONDS = 10
const MAX_MESSAGES = 100

/** What writes mail takes milliseconds. Whoever writes for longer holds nobody up for longer than this. */
const MAX_SETTLING_MS = 2_000
const MAX_PAUSE_MS = 32

/** What came of waiting. */
export interface Waited {
  /** Whether as many came as were wanted. */
  readonly found: boolean
  /** The newest first. */
  readonly heads: readonly Head[]
}

/**
 * Waits until enough messages are there that fit, or the time is over. Those count that came before, too. Whoever wants none
 * (`absent`) is told of the first. `gone`: nobody waits for the answer any more.
 */
export async function waitForMessages(
  services: WaitServices,
  actor: Actor,
  query: Static<typeof WaitQuery>,
  gone: AbortSignal,
): Promise<Waited> {
  const begin = performance.now()
  const { after: from, count: _count, timeout: _timeout, absent, ...filter } = query
  const [count, seconds] = [readCount(query.count), readTimeout(query.timeout)]
  const { db, messageWaits } = services
  const after = await readAfter(db, actor.team, from)
  const wait = new Wait(services, actor, { filter, after, amount: absent === 'true' ? 1 : count })
  const signals = [gone, messageWaits.stopping]
  if (seconds === 0) {
    await wait.look()
    await wait.settle(signals)
    return wait.result
  }
  const leave = await messageWaits.add(wait)
  try {
    await wait.look()
    await wait.until(seconds * 1_000 - (performance.now() - begin), signals)
    if (gone.aborted) return { found: false, heads: [] }
    // Whatever the signals told, or did not: nobody is told that there is nothing without a look.
    const hasLooked = wait.isEnough || messageWaits.stopping.aborted || (await messageWaits.look())
    await wait.lookedAgain
    if (!wait.isEnough && messageWaits.stopping.aborted) throw stopping()
    if (!wait.isEnough && !(hasLooked && wait.isComplete)) throw away()
    await wait.settle(signals)
    return wait.result
  } finally {
    leave()
  }
}

function readCount(text = '1'): number {
  const count = Number(text)
  if (count >= 1 && count <= MAX_MESSAGES) return count
  throw new Problem('invalid_parameter', `The \`count\` must be a number from 1 to ${MAX_MESSAGES}.`)
}

function readTimeout(text = String(DEFAULT_SECONDS)): number {
  const seconds = Number(text)
  if (seconds <= MAX_WAIT_SECONDS) return seconds
  throw new Problem('invalid_parameter', `The \`timeout\` must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}.`)
}

interface Wanted {
  readonly filter: MessageFilter
  readonly after: After
  readonly amount: number
}

interface Found {
  readonly head: Head
  /** Null: nobody knows any more when it came, so it came before all of which somebody does. */
  readonly position: Position | null
}

class Wait implements Waiter {
  readonly team: string
  readonly matcher: Matcher
  /** When it looks again, because too much came: that it has looked, or could not. */
  lookedAgain: Promise<void> = Promise.resolve()
  readonly #services: WaitServices
  readonly #actor: Actor
  readonly #wanted: Wanted
  #found = new Map<string, Found>()
  /** All transactions before it have ended, and what they wrote was found. */
  #horizon = 0n
  #isPatient = true
  /** How often it had to look by itself, and for how many of these it has. */
  #needed = 1
  #looked = 0
  #wake: (() => void) | null = null

  constructor(services: WaitServices, actor: Actor, wanted: Wanted) {
    this.team = actor.team
    this.matcher = matcherFor(wanted.filter)
    this.#services = services
    this.#actor = actor
    this.#wanted = wanted
  }

  get isEnough(): boolean {
    return this.#found.size >= this.#wanted.amount
  }

  /** Whether all was found that had come when it was last told. */
  get isComplete(): boolean {
    return this.#looked === this.#needed
  }

  get result(): Waited {
    const { amount, after } = this.#wanted
    const all = (this.#isPatient ? this.#settled : [...this.#found.values()]).sort(byPosition).map(({ head }) => head)
    const heads = after.kind === 'message' ? all.slice(0, amount) : all.slice(-amount)
    return { found: all.length >= amount, heads: heads.reverse() }
  }

  /** Nothing comes in front of these any more. */
  get #settled(): Found[] {
    return [...this.#found.values()].filter(({ position }) => position === null || BigInt(position.xid) < this.#horizon)
  }

  /** At what is there, and has ended before. */
  async look(horizon?: bigint): Promise<void> {
    const [{ db }, needed] = [this.#services, this.#needed]
    await readWhatArrived(this.#services, this.#actor)
    const ended = horizon ?? endedBefore(await currentSnapshot(db))
    const there = await findThere(db, this.team, this.#wanted)
    const positions = await positionsOf(
      db,
      this.team,
      there.map(({ id }) => id),
    )
    for (const head of there) this.#found.set(head.id, { head, position: positions.get(head.id) ?? null })
    this.#looked = Math.max(this.#looked, needed)
    this.#reach(ended)
  }

  lookAgain() {
    this.#needed += 1
    this.lookedAgain = this.look().catch(() => {})
  }

  offer(head: Head, position: Position) {
    if (!counts(this.#wanted.after, head, position)) return
    if (!this.#found.has(head.id)) this.#found.set(head.id, { head, position })
  }

  advanceTo(horizon: bigint) {
    this.#reach(this.isComplete ? horizon : this.#horizon)
  }

  #reach(horizon: bigint) {
    if (horizon > this.#horizon) this.#horizon = horizon
    if (this.isEnough) this.#wake?.()
  }

  /**
   * Until nothing comes any more in front of what was found (`arrivals.ts`), if that takes no longer than mail does. Mostly this is so
   * already, and nobody is asked.
   */
  async settle(signals: readonly AbortSignal[]): Promise<void> {
    const all = [...this.#found.values()]
    if (this.#settled.length >= Math.min(this.#wanted.amount, all.length)) return
    const newest = BigInt(all.sort(byPosition).at(-1)!.position!.xid)
    const end = performance.now() + MAX_SETTLING_MS
    let horizon = await endedHereBefore(this.#services.db)
    for (let ms = 1; horizon <= newest; ms = Math.min(2 * ms, MAX_PAUSE_MS)) {
      if (signals.some(({ aborted }) => aborted)) throw stopping()
      this.#isPatient = performance.now() < end
      if (!this.#isPatient) return
      await pause(ms)
      horizon = await endedHereBefore(this.#services.db)
    }
    // Who has ended meanwhile may have written what comes in front.
    await this.look(horizon)
  }

  /** Until there is enough, the time is over, or one of the signals says so. */
  async until(ms: number, signals: readonly AbortSignal[]): Promise<void> {
    if (this.isEnough || signals.some(({ aborted }) => aborted) || ms <= 0) return
    await new Promise<void>((resolve) => {
      const end = () => {
        stopTimer()
        for (const signal of signals) signal.removeEventListener('abort', end)
        this.#wake = null
        resolve()
      }
      const stopTimer = this.#services.messageWaits.startTimer(ms, end)
      for (const signal of signals) signal.addEventListener('abort', end)
      this.#wake = end
    })
  }
}

const away = () => new Problem('service_unavailable', 'Database unavailable, retry.', { 'retry-after': 1 })

/** In the order in which they came. */
function byPosition({ position: one }: Found, { position: other }: Found): number {
  if (one && other) return comparePositions(one, other)
  return one ? 1 : other ? -1 : 0
}
