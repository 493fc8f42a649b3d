import type { Static } from 'typebox'
import type { Actor } from '../../http/actor.ts'
import { Problem } from '../../http/problem.ts'
import { readWhatArrived } from '../received-emails/actions.ts'
import type { Services } from '../services.ts'
import { type After, counts, findThere, readAfter } from './after.ts'
import type { Place } from './arrivals.ts'
import { type Head, type Matcher, matcherFor, type Wish } from './match.ts'
import type { WaitQuery } from './schema.ts'
import { stopping, type Waiting } from './waits.ts'

const LONGEST_SECONDS = 55
const DEFAULT_SECONDS = 10
const MOST = 100

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
  services: Services,
  actor: Actor,
  query: Static<typeof WaitQuery>,
  gone: AbortSignal,
): Promise<Waited> {
  const begin = performance.now()
  const { after: from, count: _count, timeout: _timeout, absent, ...wish } = query
  const [count, seconds] = [readCount(query.count), readTimeout(query.timeout)]
  const { db, messageWaits } = services
  const after = await readAfter(db, actor.team, from)
  const wait = new Wait(services, actor, { wish, after, amount: absent === 'true' ? 1 : count })
  if (seconds === 0) {
    await wait.look()
    return wait.result
  }
  const leave = await messageWaits.add(wait)
  try {
    await wait.look()
    await wait.until(seconds * 1_000 - (performance.now() - begin), [gone, messageWaits.stopping])
    if (gone.aborted) return { found: false, heads: [] }
    // Whatever the signals told, or did not: nobody is told that there is nothing without a look.
    if (!wait.isEnough && !messageWaits.stopping.aborted) await messageWaits.look()
    await wait.lookedAgain
    if (!wait.isEnough && messageWaits.stopping.aborted) throw stopping()
    return wait.result
  } finally {
    leave()
  }
}

function readCount(text = '1'): number {
  const count = Number(text)
  if (count >= 1 && count <= MOST) return count
  throw new Problem('invalid_parameter', `The \`count\` must be a number from 1 to ${MOST}.`)
}

function readTimeout(text = String(DEFAULT_SECONDS)): number {
  const seconds = Number(text)
  if (seconds <= LONGEST_SECONDS) return seconds
  throw new Problem('invalid_parameter', `The \`timeout\` must be a number of seconds from 0 to ${LONGEST_SECONDS}.`)
}

interface Wanted {
  readonly wish: Wish
  readonly after: After
  readonly amount: number
}

class Wait implements Waiting {
  readonly team: string
  readonly matcher: Matcher
  /** When it looks again, because too much came: that it has looked. */
  lookedAgain: Promise<void> = Promise.resolve()
  readonly #services: Services
  readonly #actor: Actor
  readonly #wanted: Wanted
  /** By id, in the order in which they came. */
  #found = new Map<string, Head>()
  #wake: (() => void) | null = null

  constructor(services: Services, actor: Actor, wanted: Wanted) {
    this.team = actor.team
    this.matcher = matcherFor(wanted.wish)
    this.#services = services
    this.#actor = actor
    this.#wanted = wanted
  }

  get isEnough(): boolean {
    return this.#found.size >= this.#wanted.amount
  }

  get result(): Waited {
    const { amount, after } = this.#wanted
    const all = [...this.#found.values()]
    const heads = after.kind === 'message' ? all.slice(0, amount) : all.slice(-amount)
    return { found: this.isEnough, heads: heads.reverse() }
  }

  /** At what is there. What was offered meanwhile came later. */
  async look(): Promise<void> {
    await readWhatArrived(this.#services, this.#actor)
    const there = await findThere(this.#services.db, this.team, this.#wanted)
    this.#found = new Map([...there.map((head) => [head.id, head] as const), ...this.#found])
    if (this.isEnough) this.#wake?.()
  }

  lookAgain() {
    this.lookedAgain = this.look().catch(() => {})
  }

  offer(head: Head, place: Place) {
    if (!counts(this.#wanted.after, head, place)) return
    if (!this.#found.has(head.id)) this.#found.set(head.id, head)
    if (this.isEnough) this.#wake?.()
  }

  /** Until there is enough, the time is over, or one of the signals says so. */
  async until(ms: number, signals: readonly AbortSignal[]): Promise<void> {
    if (this.isEnough || signals.some(({ aborted }) => aborted) || ms <= 0) return
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        for (const signal of signals) signal.removeEventListener('abort', end)
        this.#wake = null
        resolve()
      }
      const timer = setTimeout(end, ms)
      for (const signal of signals) signal.addEventListener('abort', end)
      this.#wake = end
    })
  }
}
