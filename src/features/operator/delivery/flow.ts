import type { SourceIdentity } from '../../emails/delivery/pace/identity.ts'
import type { DeliveryPause } from '../../emails/delivery/pace/pause-store.ts'
import { refusedIn } from '../../emails/delivery/pace/pauses.ts'
import { commonPace, commonPause } from '../../emails/delivery/pace/reach.ts'
import type { KeptPace, PaceKey } from '../../emails/delivery/pace/store.ts'
import type { LastReply } from '../../emails/delivery/queue/queue-summary.ts'
import type { DestinationStop } from '../../emails/delivery/transport/stop-store.ts'
import { FLOWS, type Flow } from './schema.ts'

/** How mail gets on, and why in a sentence. */
export interface FlowState {
  readonly state: Flow
  readonly reason: string | null
  readonly until: Date | null
}

interface DestinationState {
  /** Nothing goes there until one message has found out. */
  readonly stop: Pick<DestinationStop, 'cause' | 'stoppedUntil'> | null
  /** Those that have not ended. */
  readonly pauses: readonly DeliveryPause[]
  readonly paces: readonly Pick<KeptPace, 'kind' | 'identity' | 'state'>[]
  /** Where its mail leaves from. */
  readonly sources: readonly SourceIdentity[]
  readonly deferred: number
  readonly lastReply: LastReply | null
}

/** Replies that are our own words for: nobody was there to talk to. */
const AWAY: Readonly<Record<string, string>> = {
  no_answer_from_host: 'No mail server answers.',
  bad_connection: 'The connection breaks off.',
  dns_failure: 'Its mail servers cannot be looked up.',
  login_refused: 'The login is refused.',
}

export function flowOf({ stop, pauses, paces, sources, deferred, lastReply }: DestinationState): FlowState {
  if (stop?.cause === 'unreachable') return { state: 'away', reason: 'It cannot be reached.', until: stop.stoppedUntil }
  const away = deferred > 0 ? AWAY[lastReply?.class ?? ''] : undefined
  if (away) return { state: 'away', reason: away, until: null }
  const pause = commonPause(pauses, sources)
  if (pause) return paused('paused', pause, sources.length > 1)
  if (stop) return { state: 'paused', reason: 'It refuses our address.', until: stop.stoppedUntil }
  if (commonPace(paces, sources)) return { state: 'slowed', reason: 'It has asked for less mail.', until: null }
  const [partial] = pauses
  if (partial) return paused('slowed', partial)
  const [slowed] = paces
  if (!slowed) return { state: 'flowing', reason: null, until: null }
  return { state: 'slowed', reason: `It has asked for less mail from ${refusedIn(slowed)}.`, until: null }
}

const paused = (state: Flow, pause: DeliveryPause, isOneOfAll = false): FlowState => ({
  state,
  reason: `It refuses ${isOneOfAll && pause.kind === 'source' ? 'all our IP addresses' : refusedIn(pause)}.`,
  until: pause.pausedUntil,
})

interface TeamOrSenderState extends Pick<DestinationState, 'pauses'> {
  readonly stop: DestinationStop | null
  readonly paces: readonly PaceKey[]
}

/** Of a team or a sender, which is held back at one or more destinations. */
export function flowElsewhere({ stop, pauses, paces }: TeamOrSenderState): FlowState {
  if (stop?.cause === 'unreachable')
    return { state: 'away', reason: `${stop.destination} cannot be reached.`, until: stop.stoppedUntil }
  const [pause] = pauses
  if (pause)
    return { state: 'paused', reason: `${pause.destination} refuses ${refusedIn(pause)}.`, until: pause.pausedUntil }
  const [pace] = paces
  if (!pace) return { state: 'flowing', reason: null, until: null }
  return { state: 'slowed', reason: `${pace.destination} has asked for less mail.`, until: null }
}

interface Ranked {
  readonly state: Flow
  readonly deferred: number
  readonly waiting: number
  readonly name: string | null
}

/** Trouble first, then where most waits. */
export const byTrouble = (one: Ranked, other: Ranked) =>
  FLOWS.indexOf(one.state) - FLOWS.indexOf(other.state) ||
  other.deferred - one.deferred ||
  other.waiting - one.waiting ||
  (one.name ?? '').localeCompare(other.name ?? '', 'en')
