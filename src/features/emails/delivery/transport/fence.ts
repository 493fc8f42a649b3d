import { setTimeout as wait } from 'node:timers/promises'
import type { Presence } from '../../../../kernel/db/presence.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'

/** What stands between a claimed recipient and the moment at which its mail leaves. */
export interface Fence {
  /** Whether the mail may be begun, as soon as that is known. False: it is not ours any more, or this process stops. */
  mayBegin(): MaybePromise<boolean>
  /** Asked last, before the end of the message is sent: whether nobody else can have it by now. */
  isOurs(): boolean
}

/** An answer that waits longer than this to be written down says that the database does not answer. */
const SLOW_SETTLE_MS = 500
const CHECK_AGAIN_MS = 50

/**
 * Lets mail leave only as long as this node holds its lease, and begins none while answers cannot be written down: what was heard
 * and is not in the ledger goes out again after a crash, so there is never more of it than half a second makes.
 */
export class SendingFence {
  readonly #presence: Pick<Presence, 'node' | 'holdsLease'>
  /** Since when answers wait to be written down, the oldest first. */
  readonly #unsettled = new Map<object, number>()
  #isStopping = false

  constructor(presence: Pick<Presence, 'node' | 'holdsLease'>) {
    this.#presence = presence
  }

  /** For what was claimed under this number. */
  for(node: number): Fence {
    return {
      mayBegin: () => this.#verdict(node) ?? this.#mayBegin(node),
      isOurs: () => this.#presence.holdsLease(node),
    }
  }

  /** Nothing more is begun. */
  stop() {
    this.#isStopping = true
  }

  /** An answer waits to be written down: the others are held back should that take long. */
  beginSettling(answer: object) {
    this.#unsettled.set(answer, performance.now())
  }

  endSettling(answer: object) {
    this.#unsettled.delete(answer)
  }

  async #mayBegin(node: number): Promise<boolean> {
    for (;;) {
      const verdict = this.#verdict(node)
      if (verdict !== null) return verdict
      await wait(CHECK_AGAIN_MS, undefined, { ref: false })
    }
  }

  /** Null: nobody can tell yet. */
  #verdict(node: number): boolean | null {
    if (this.#isStopping || node !== this.#presence.node) return false
    return this.#presence.holdsLease(node) && !this.#isLate() ? true : null
  }

  #isLate(): boolean {
    const [oldest] = this.#unsettled.values()
    return oldest !== undefined && performance.now() - oldest > SLOW_SETTLE_MS
  }
}
