import { nextWarmUp, type WarmUp, type WarmUpEvent } from '../../src/features/emails/delivery/sources/warm-up.ts'
import { warmUpSignalOf } from '../../src/features/emails/delivery/sources/warm-up-signal.ts'
import type { Outcome } from '../../src/mail/outcome.ts'
import { DAY_MS, dayOf } from '../sites/sender-reputation.ts'

/** A sender that a provider does not know yet. */
export interface NewSender {
  readonly kind: 'source' | 'domain'
  /** The same for the same sender at the same provider. */
  readonly key: string
}

/** The program's warm-up of sources and sending domains, of one node, without its database. */
export class WarmUps {
  readonly #states = new Map<string, WarmUp>()

  /** 0: one message counts as sent by each of them. Otherwise how long until the next day. */
  waitMs(senders: readonly NewSender[], nowMs: number): number {
    const today = dayOf(nowMs)
    for (const [index, sender] of senders.entries()) {
      if (this.#tell(sender, { kind: 'leased', wanted: 1 }, today) > 0) continue
      for (const earlier of senders.slice(0, index)) this.#tell(earlier, { ...NOT_SENT, day: today }, today)
      return (today + 1) * DAY_MS - nowMs
    }
    return 0
  }

  /** What was answered to a message that was begun then. */
  heard(senders: readonly NewSender[], outcome: Outcome, { startedMs, nowMs }: { startedMs: number; nowMs: number }) {
    const [day, today] = [dayOf(startedMs), dayOf(nowMs)]
    for (const sender of senders) {
      const hearing = warmUpSignalOf(outcome, sender)
      const [taken, deferred] = [Number(hearing?.counts === 'taken'), Number(hearing?.counts === 'deferred')]
      this.#tell(sender, hearing ? { kind: 'heard', day, taken, deferred, returned: 0 } : { ...NOT_SENT, day }, today)
      if (hearing?.isBlock) this.#tell(sender, { kind: 'blocked', day }, today)
    }
  }

  #tell({ key }: NewSender, event: WarmUpEvent, today: number): number {
    const { state, granted } = nextWarmUp(this.#states.get(key) ?? null, event, today)
    this.#states.set(key, state)
    return granted
  }
}

const NOT_SENT = { kind: 'heard', taken: 0, deferred: 0, returned: 1 } as const
