import { type SourceSettings, warmsUpDomain } from '../../../../mail/sources/sources.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import type { Answer } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import type { Claimed } from '../ledger/queries.ts'
import type { MailTarget } from '../pace/identity.ts'
import type { Pace } from '../pace/pace.ts'
import type { Obstacle } from '../transport/destination-outages.ts'
import { queueOfSource } from './source-names.ts'
import type { Candidate, Sources } from './sources.ts'
import { allowanceAt } from './warm-up.ts'
import type { WarmUpKey } from './warm-up-store.ts'
import type { AllowanceExhausted, SendPermit, WarmUps } from './warm-ups.ts'

/** A way of a mail, from one of the sources that it could leave from. */
export interface SourceOption extends MailTarget {
  readonly candidate: Candidate
}

type Verdict = Answer['verdict']

/** The ways of a mail, the best first. None: no process has any of the sources. */
export function sourceOptions(
  sources: Sources,
  way: MailTarget,
  {
    mail: { email, domain, position, parkedFor },
    pace,
  }: {
    mail: { email: LoadedEmail; domain: string } & Pick<Claimed, 'position' | 'parkedFor'>
    pace: Pace | null
  },
): readonly SourceOption[] {
  const { team, tags, broadcast } = email
  const mail = { team, domain, stream: broadcast ? 'broadcast' : 'single', tags: tags ?? [] } as const
  const candidates = sources.candidatesFor(mail, { key: `${email.id} ${position}`, leftTo: parkedFor })
  return candidates.map((candidate) => {
    const from = { ...way.destination, source: candidate.client }
    const destination = pace?.destinationFor(from, way.domain, candidate.identity) ?? from
    return { ...way, destination, identities: { ...way.identities, ...candidate.identity }, candidate }
  })
}

/** What is asked about each way. Null: nothing is in the way. */
interface SourceChecks {
  /** Why the destination does not take mail from there. */
  at(way: SourceOption): Obstacle | null
  /** The mail is kept for it. */
  keepFor(obstacle: Obstacle): Verdict
  /** Why it is too fast from there. Null: it counts as gone. */
  admit(way: SourceOption): Verdict | null
  readonly priority: number
  /** Of the sender. */
  readonly domain: string
}

/** The way that a mail goes, and what is to hear of the answers. */
export interface ChosenSource<Way extends MailTarget = SourceOption> {
  readonly way: Way
  readonly ticket: SendPermit | null
}

interface Parts {
  readonly settings: SourceSettings
  readonly warmUps: Pick<WarmUps, 'take' | 'usedUpElsewhere'>
  readonly clock: Clock
}

/** When another process is expected to have taken mail that was left to it. */
const HANDED_OVER_RETRY_SECONDS = 60
/** When to look again whether any process has an address to send from. */
const NO_SOURCE_RETRY_SECONDS = 60

/** What becomes of mail while no process has any of the sources. */
export const NO_SOURCE: Verdict = {
  kind: 'held',
  isTried: false,
  reply: '451 4.3.0 Not tried: no running process has an address of POSTWREN_SOURCES',
  seconds: NO_SOURCE_RETRY_SECONDS,
}

/**
 * The first of the ways that the destination takes mail from, whose warm-up has room and that is not too fast. Where there is none: as soon as
 * the first of them is open again.
 */
export async function chooseSource(
  parts: Parts,
  ways: readonly SourceOption[],
  questions: SourceChecks,
): Promise<ChosenSource | Verdict> {
  const refusals: Refusal[] = []
  const open = ways.filter((way) => {
    const obstacle = questions.at(way)
    if (obstacle)
      refusals.push({
        seconds: secondsBetween(parts.clock.now(), obstacle.until),
        verdict: () => questions.keepFor(obstacle),
      })
    return !obstacle
  })
  if (open.length === 0) return soonestOf(refusals)
  const ofDomain = await takeOfDomain(parts, open[0]!, questions)
  if (isUsedUp(ofDomain)) return waitingFor(parts, ofDomain)
  let isTooFast = false
  for (const way of open) {
    const { source, isHere } = way.candidate
    const key = source.warmUp ? keyOf(way, 'source', source.name) : null
    if (!isHere) {
      // How fast the others are is not known here: what is only too fast waits for its own.
      if (isTooFast) continue
      const usedUp = key && (await parts.warmUps.usedUpElsewhere(key))
      if (usedUp) {
        refusals.push(refusalOf(waitingFor(parts, usedUp)))
        continue
      }
      ofDomain?.cancel()
      return {
        kind: 'parked',
        queue: { destination: queueOfSource(source.name), priority: questions.priority },
        seconds: HANDED_OVER_RETRY_SECONDS,
      }
    }
    const ofSource = key && (await parts.warmUps.take(key))
    if (isUsedUp(ofSource)) {
      refusals.push(refusalOf(waitingFor(parts, ofSource)))
      continue
    }
    const tooFast = questions.admit(way)
    if (!tooFast) return { way, ticket: both(ofDomain, ofSource) }
    isTooFast = true
    refusals.push(refusalOf(tooFast))
    ofSource?.cancel()
  }
  ofDomain?.cancel()
  return soonestOf(refusals)
}

/** Only providers that are known are warmed up: nobody else sees enough mail to mind. */
function keyOf({ destination }: SourceOption, kind: WarmUpKey['kind'], identity: string): WarmUpKey | null {
  return destination.provider === undefined ? null : { kind, identity, provider: destination.provider }
}

function takeOfDomain(
  { settings, warmUps }: Parts,
  way: SourceOption,
  { domain }: SourceChecks,
): MaybePromise<SendPermit | AllowanceExhausted | null> {
  const key = warmsUpDomain(settings, domain) ? keyOf(way, 'domain', domain) : null
  return key && warmUps.take(key)
}

const isUsedUp = (taken: SendPermit | AllowanceExhausted | null): taken is AllowanceExhausted =>
  taken !== null && 'until' in taken

/** What is sent counts for both, and what is not sent for neither. */
function both(one: SendPermit | null, other: SendPermit | null): SendPermit | null {
  if (!one || !other) return one ?? other
  return {
    cancel() {
      one.cancel()
      other.cancel()
    },
    heard(outcomes) {
      one.heard(outcomes)
      other.heard(outcomes)
    },
  }
}

function waitingFor({ clock }: Parts, { key, step, until }: AllowanceExhausted): Verdict {
  const who = key.kind === 'source' ? `the source ${key.identity}` : `the domain ${key.identity}`
  const reply = `451 4.7.1 Waiting until ${until.toISOString()}: ${key.provider} gets ${allowanceAt(step)} messages a day from ${who} on day ${step} of its warm-up, and today's are used up`
  return { kind: 'held', isTried: false, reply, seconds: secondsBetween(clock.now(), until) }
}

const secondsBetween = (from: Date, to: Date) => Math.max(1, Math.ceil((to.getTime() - from.getTime()) / 1_000))

/** Why a mail does not leave from one of the sources, and for how long. */
interface Refusal {
  readonly seconds: number
  verdict(): Verdict
}

/** What is parked is fetched as soon as there is room. */
const refusalOf = (verdict: Verdict): Refusal => ({
  seconds: verdict.kind === 'parked' ? 0 : 'seconds' in verdict ? verdict.seconds : Number.POSITIVE_INFINITY,
  verdict: () => verdict,
})

/** At least one. */
const soonestOf = (refusals: readonly Refusal[]): Verdict =>
  refusals.reduce((soonest, one) => (one.seconds < soonest.seconds ? one : soonest)).verdict()
