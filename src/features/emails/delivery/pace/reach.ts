import { groupBy } from '../../../../platform/group-by.ts'
import type { Config } from '../../../../platform/settings/config.ts'
import { type IdentityKind, type SourceIdentity, sourceIdentity } from './identity.ts'
import type { DeliveryPause } from './pause-store.ts'
import type { KeptPace } from './store.ts'

// What holds back all mail to a destination, and not only that of one source: from another one it goes on.

/** Begins the name of a route of the file, as a destination: its servers send from addresses of their own. */
export const ROUTE_PREFIX = 'route/'

/** Where mail to a destination leaves from. */
export function sourcesAt(
  destination: string | null,
  { SOURCES, SOURCE_ADDRESS }: Pick<Config, 'SOURCES' | 'SOURCE_ADDRESS'>,
): readonly SourceIdentity[] {
  if (destination?.startsWith(ROUTE_PREFIX)) return [{ source: destination, netblock: destination }]
  return SOURCES ? SOURCES.sources.map(({ addresses }) => sourceIdentity(addresses)) : [sourceIdentity(SOURCE_ADDRESS)]
}

interface Identified {
  readonly kind: IdentityKind
  readonly identity: string
}

/** Whether all mail from a source is meant, whatever else it carries. */
const isAbout =
  (source: SourceIdentity) =>
  ({ kind, identity }: Identified): boolean =>
    kind === 'site' || ((kind === 'source' || kind === 'netblock') && identity === source[kind])

/** The pause after which the first of the sources may send again. Null: one of them may now. */
export function commonPause(
  pauses: readonly DeliveryPause[],
  sources: readonly SourceIdentity[],
): DeliveryPause | null {
  const longest = sources.map((source) => pauses.filter(isAbout(source)).reduce(laterOf, null))
  return longest.includes(null) ? null : longest.reduce(earlierOf, null)
}

const laterOf = (one: DeliveryPause | null, other: DeliveryPause) =>
  one && one.pausedUntil >= other.pausedUntil ? one : other

const earlierOf = (one: DeliveryPause | null, other: DeliveryPause | null) =>
  one && other && one.pausedUntil <= other.pausedUntil ? one : other

/** How fast all sources together may send, and when the first of them may. Null: one of them goes as fast as it can. */
export function commonPace(
  paces: readonly Pick<KeptPace, 'kind' | 'identity' | 'state'>[],
  sources: readonly SourceIdentity[],
): { readonly rate: number; readonly restUntil: number } | null {
  const slowest = (kind: IdentityKind, name: string) =>
    Math.min(...paces.filter((pace) => pace.kind === kind && pace.identity === name).map(({ state }) => state.rate))
  const ofSources = [...groupBy(sources, ({ netblock }) => netblock)].map(([netblock, members]) =>
    Math.min(slowest('netblock', netblock), sum(members.map(({ source }) => slowest('source', source)))),
  )
  const rate = Math.min(slowest('site', ''), sum(ofSources))
  if (!Number.isFinite(rate)) return null
  const rests = sources.map((source) =>
    Math.max(0, ...paces.filter(isAbout(source)).map(({ state }) => state.restUntil)),
  )
  return { rate, restUntil: Math.min(...rests) }
}

const sum = (rates: readonly number[]) => rates.reduce((total, rate) => total + rate, 0)
