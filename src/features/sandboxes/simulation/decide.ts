import { describeError } from '../../../adapters/smtp-client/failure.ts'
import { judge, lost } from '../../../adapters/smtp-client/outcomes.ts'
import { domainOf } from '../../../mail/address.ts'
import type { Outcome } from '../../../mail/outcome.ts'
import { parseDuration } from '../../../platform/duration.ts'
import type { Act, Later } from './act.ts'
import type { RuleOutcome, VisitorName } from './scenario.ts'

/** What becomes of a recipient, and what follows. */
export interface Decision {
  readonly verdict: Outcome
  readonly later: readonly Later[]
}

/** What is known of an attempt. */
export interface AttemptAt {
  readonly recipient: string
  readonly attempt: number
  /** Since the mail was to go out, in the time of its team. */
  readonly secondsSinceSent: number
  /** What is said when nothing else is. */
  readonly kept: Outcome
}

const GREYLISTED = '451 4.7.1 Greylisted, please try again later'
const BUSY = '451 4.3.2 Busy, please try again later'
const BOUNCED = '550 5.1.1 The email account that you tried to reach does not exist'

/** From a network that is nobody's (RFC 5737). */
const MAIL_SERVER = '192.0.2.25'

/** What an outcome comes to at this attempt. What a server would have said is read as if one had said it. */
export function decide(outcome: RuleOutcome, attempt: AttemptAt): Decision {
  const verdict = verdictOf(outcome, attempt)
  return { verdict, later: verdict.kind === 'delivered' ? laterOf(outcome) : [] }
}

function verdictOf(outcome: RuleOutcome, { recipient, attempt, secondsSinceSent, kept }: AttemptAt): Outcome {
  const host = `mx.${domainOf(recipient)}`
  if (outcome.reply !== undefined) return { ...judge(outcome.reply), host }
  if (outcome.connection_lost !== undefined) {
    const isDataSent = outcome.connection_lost === 'after_data'
    return {
      ...lost(
        { host, address: MAIL_SERVER, port: 25, secure: false },
        describeError({ code: 'ECONNRESET' }),
        isDataSent,
      ),
      host,
    }
  }
  if (attempt <= (outcome.greylisted ?? 0)) return { ...judge(GREYLISTED), host }
  const leftSeconds = secondsIn(outcome.delayed) - secondsSinceSent
  if (leftSeconds > 0)
    return { kind: 'deferred', reply: BUSY, isThrottled: false, retryAtSeconds: Math.ceil(leftSeconds), host }
  return kept
}

/** Checked when the scenario was set. */
const secondsIn = (duration: string | undefined): number =>
  duration === undefined ? 0 : (parseDuration(duration) ?? 0)

/** Whoever opens a mail within a second of its delivery is taken for a scanner. */
const BEFORE_A_LOOK_SECONDS = 1

const secondsBefore = (by: VisitorName) => (by === 'scanner' ? 0 : BEFORE_A_LOOK_SECONDS)

/** All that follows, put together by its time, and within it in the order in which people do such things. */
function laterOf({ opened, clicked, replied, unsubscribed, bounced, complained }: RuleOutcome): Later[] {
  const acts = new Map<number, Act[]>()
  const add = (act: Act, after: string | undefined, seconds = 0) => {
    const at = after === undefined ? seconds : secondsIn(after)
    acts.set(at, [...(acts.get(at) ?? []), act])
  }
  if (opened) {
    const { by = 'person', after } = opened
    add({ kind: 'opened', by }, after, secondsBefore(by))
  }
  if (clicked) {
    const { by = 'person', after, link } = clicked
    add({ kind: 'clicked', by, ...(link !== undefined && { link }) }, after, secondsBefore(by))
  }
  if (replied) {
    const { text, subject, after } = replied
    add({ kind: 'replied', text, ...(subject !== undefined && { subject }) }, after)
  }
  if (unsubscribed) add({ kind: 'unsubscribed' }, unsubscribed.after)
  if (bounced) add({ kind: 'bounced', reply: bounced.reply ?? BOUNCED }, bounced.after)
  if (complained) add({ kind: 'complained' }, complained.after)
  return [...acts].sort(([a], [b]) => a - b).map(([afterSeconds, some]) => ({ afterSeconds, acts: some }))
}
