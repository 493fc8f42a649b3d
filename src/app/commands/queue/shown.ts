import type { SourceIdentity } from '../../../features/emails/delivery/pace/identity.ts'
import type { DeliveryPause } from '../../../features/emails/delivery/pace/pause-store.ts'
import { refusedIn } from '../../../features/emails/delivery/pace/pauses.ts'
import type { KeptPace } from '../../../features/emails/delivery/pace/store.ts'
import type { DestinationStop } from '../../../features/emails/delivery/transport/stop-store.ts'
import { oneLine } from '../command.ts'
import { isoOf } from './filter.ts'

// Pauses, rates and times, as the commands of the queue show them.

export const shortened = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

/** In its largest unit: `40 s`, `12 min`, `5 h`, `3 d`. */
export function ageOf(since: Date, now: Date): string {
  return durationText(Math.max(0, now.getTime() - since.getTime()) / 1_000)
}

export function durationText(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** Messages in a second, minute or hour: whichever gives a number that can be read. Nothing for null. */
export function rateText(perSecond: number | null): string {
  if (perSecond === null) return ''
  if (perSecond >= 1) return `${rounded(perSecond)}/s`
  return perSecond * 60 >= 1 ? `${rounded(perSecond * 60)}/min` : `${rounded(perSecond * 3_600)}/h`
}

const rounded = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)

/** Controllers that hold back some mail only, the slowest first: of some senders, or of one of several sources. */
export const partialPaces = (paces: readonly KeptPace[], sources: readonly SourceIdentity[]): KeptPace[] =>
  paces
    .filter(({ kind }) => kind !== 'site' && (sources.length > 1 || (kind !== 'source' && kind !== 'netblock')))
    .sort((a, b) => a.state.rate - b.state.rate)

export const paceText = (pace: KeptPace) =>
  `slowed to ${rateText(pace.state.rate)} for ${refusedIn(pace)}: ${shortened(oneLine(pace.reply), 140)}`

export const pauseText = (pause: DeliveryPause) =>
  `paused until ${isoOf(pause.pausedUntil)}: ${pause.destination} refuses ${refusedIn(pause)}: ${shortened(oneLine(pause.reply), 140)}`

export const pauseJson = (pause: DeliveryPause) => ({
  object: 'pause',
  destination: pause.destination,
  kind: pause.kind,
  identity: pause.identity === '' ? null : pause.identity,
  paused_until: pause.pausedUntil,
  refusals: pause.refusals,
  host: pause.host,
  reply: pause.reply,
  class: pause.class,
  refused_at: pause.refusedAt,
})

const STOPPED = { unreachable: 'it cannot be reached', paused: 'it refuses our address' }

/** Why nothing goes to a destination, and when one message is tried. */
export const stopText = ({ cause, stoppedAt, stoppedUntil, reply }: DestinationStop) =>
  `stopped since ${isoOf(stoppedAt)}: ${STOPPED[cause]}; tried again at ${isoOf(stoppedUntil)}${reply ? `: ${shortened(oneLine(reply), 140)}` : ''}`

export const stopJson = (stop: DestinationStop) => ({
  object: 'stop',
  destination: stop.destination,
  cause: stop.cause,
  stopped_at: stop.stoppedAt,
  stopped_until: stop.stoppedUntil,
  failures: stop.failures,
  host: stop.host,
  reply: stop.reply,
})

export const paceJson = ({ destination, kind, identity, state, reply }: KeptPace) => ({
  object: 'controller',
  destination,
  kind,
  identity: identity === '' ? null : identity,
  /** Messages in a second, of all processes together. */
  rate: state.rate,
  connections: state.connections,
  rests_until: new Date(state.restUntil),
  throttled_at: new Date(state.cutAt),
  reply,
})
