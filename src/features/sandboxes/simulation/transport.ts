import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '../../../mail/steps.ts'
import type { Clock } from '../../../platform/clock.ts'
import { inTurns } from '../../../platform/concurrency/in-turns.ts'
import { Semaphore } from '../../../platform/concurrency/semaphore.ts'
import { isSandbox, newId } from '../../../platform/ids.ts'
import type { Answer, Outgoing, Transport } from '../../emails/delivery/deliver.ts'
import { KEPT } from '../../emails/delivery/transport/inbox-transport.ts'
import { ACT_JOB, type ActPayload } from './act.ts'
import { decide } from './decide.ts'
import { keyOf } from './numbering.ts'
import { readyMadeOutcome } from './ready-made.ts'
import { type Numbered, ruleFor, rulesFor } from './rules.ts'
import type { RuleOutcome } from './scenario.ts'
import type { Scenarios, Staged } from './scenarios.ts'

const KEPT_IN_SANDBOX = { kind: 'delivered', reply: '250 2.0.0 kept in the sandbox', host: 'sandbox' } as const

/** Whatever else there is to do waits for this long, and for one recipient. */
const TURN_MS = 10

/** When no rule asks for it. */
const UNNUMBERED: Numbered = { number: 0, hits: [] }

export interface SimulationParts {
  readonly clock: Clock
  readonly scenarios: Pick<Scenarios, 'ofEmail'>
  /** Nothing leaves: ready-made addresses are everybody's. */
  readonly isInbox: boolean
}

/**
 * Stands in front of whatever delivers the mail of a process. Mail of a sandbox ends here, in every mode: the transport behind it
 * never hears of it, so nothing of a sandbox can leave. What becomes of it says its scenario: the first rule that fits, or a ready-made
 * address; otherwise it is kept. Where nothing leaves, ready-made addresses do for everybody what their name says.
 */
export function simulatedTransport(inner: Transport, { clock, scenarios, isInbox }: SimulationParts): Transport {
  // Emails that were claimed together hear of their scenario together, and would be decided without a pause.
  const turns = new Semaphore(1)
  let began = 0
  async function takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (performance.now() - began > TURN_MS) {
      await nextTurn()
      began = performance.now()
    }
    return work()
  }

  function answerTo(outgoing: Outgoing, recipient: string, outcome: RuleOutcome): Answer {
    const { email, rowOf } = outgoing
    const own = clock.of(email.team)
    const now = own.now()
    const { position, attempts } = rowOf(recipient)
    const { verdict, later } = decide(outcome, {
      recipient,
      attempt: attempts,
      secondsSinceSent: (now.getTime() - email.sentAt.getTime()) / 1_000,
      kept: isSandbox(email.team) ? KEPT_IN_SANDBOX : KEPT,
    })
    const jobs = later.map(({ afterSeconds, acts }) => {
      const id = newId(clock)
      const about = { team: email.team, id, email: email.id, recipient, position, deliveredAt: now.toISOString() }
      const payload: ActPayload = { ...about, acts }
      return { id, name: ACT_JOB, payload, runAt: own.toReal(new Date(now.getTime() + afterSeconds * 1_000)) }
    })
    return { recipient, verdict, ...(jobs.length > 0 && { later: jobs }) }
  }

  function* stage(outgoing: Outgoing, staged: Staged | null): Steps<Answer[]> {
    const { email, recipients, rowOf } = outgoing
    const rules = staged ? rulesFor(staged.scenario.compiled, email) : new Map()
    const answers: Answer[] = []
    for (const recipient of recipients) {
      const { position, attempts: attempt } = rowOf(recipient)
      const numbered = staged?.numbers.get(keyOf(email.id, position)) ?? UNNUMBERED
      const rule = staged && ruleFor(rules, { seed: staged.scenario.seed, recipient, attempt, numbered })
      answers.push(answerTo(outgoing, recipient, rule?.outcome ?? readyMadeOutcome(recipient) ?? {}))
      yield
    }
    return answers
  }

  async function simulate(outgoing: Outgoing, tell: (answers: readonly Answer[]) => void) {
    const { email, recipients } = outgoing
    if (isSandbox(email.team)) {
      const staged = await scenarios.ofEmail(email)
      return tell(await turns.run(1, () => takeTurn(() => inTurns(stage(outgoing, staged)))))
    }
    const readyMade = recipients.filter((recipient) => readyMadeOutcome(recipient))
    if (readyMade.length === 0) return await inner.send(outgoing, tell)
    tell(readyMade.map((recipient) => answerTo(outgoing, recipient, readyMadeOutcome(recipient)!)))
    const others = recipients.filter((recipient) => !readyMade.includes(recipient))
    if (others.length > 0) await inner.send({ ...outgoing, recipients: others }, tell)
  }

  return {
    send: (outgoing, tell) =>
      isInbox || isSandbox(outgoing.email.team) ? simulate(outgoing, tell) : inner.send(outgoing, tell),
    close: (graceMs) => inner.close(graceMs),
  }
}
