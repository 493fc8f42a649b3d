import type { MailExchanger } from '../../../../adapters/dns/mail-exchanger.ts'
import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { Database } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { toAsciiDomain } from '../../../../mail/address.ts'
import type { StsPolicy } from '../../../../mail/mta-sts.ts'
import type { CeilingKey, CeilingOrigin } from '../../../../mail/providers/ceilings.ts'
import { layerOf } from '../../../../mail/providers/ceilings.ts'
import { providerOf } from '../../../../mail/providers/providers.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import { type Hold, listHolds } from '../../../limits/holds.ts'
import { TEAM_STATES } from '../../../teams/reads.ts'
import type { CeilingTable } from '../pace/ceiling-table.ts'
import { rateOf } from '../pace/controller.ts'
import { destinationNameOf, destinationNamesOf, domainAsDestination, type SourceIdentity } from '../pace/identity.ts'
import { type DeliveryPause, findPauses } from '../pace/pause-store.ts'
import { commonPace, commonPause } from '../pace/reach.ts'
import { findPaces, type KeptPace } from '../pace/store.ts'
import type { DestinationResolver } from '../transport/destination-resolvers.ts'
import { type DestinationStop, findStops } from '../transport/stop-store.ts'
import { type SummaryGroup, summarizeQueue } from './queue-summary.ts'

// What happens to mail for a domain, and why. Every fact comes from what delivery itself asks: the router, the table of ceilings, the
// controllers and the pauses.

/** Which mail: for a domain; of a team, and from a sender's domain, if that is said. */
export interface ExplainedMail {
  readonly domain: string
  readonly team?: string | undefined
  readonly from?: string | undefined
}

/** A policy as it was found, or why it could not be read. */
export type ExplainedPolicy = StsPolicy & { readonly problem?: { readonly kind: string; readonly reason: string } }

/** Something that was chosen for the mail, by which rule. */
export interface Choice {
  readonly name: string
  readonly why: string
}

export interface ExplainParts {
  readonly db: Database
  readonly router: DestinationResolver
  /** Null: mail to all domains goes the same way, and no mail servers are looked up. */
  readonly exchanger: Pick<MailExchanger, 'hostsFor'> | null
  /** Null: nobody asks for policies. */
  readonly policies: { find(domain: string): MaybePromise<ExplainedPolicy> } | null
  readonly ceilings: CeilingTable
  /** Where it leaves from, or would rather than from others. */
  readonly source: SourceIdentity
  /** The ways that this mail takes, the first one first: the router is that of the first. */
  readonly routes: readonly Choice[]
  /** The addresses that it can leave from. None: the system chooses. */
  readonly sources: readonly (Choice & { readonly identity: SourceIdentity })[]
}

/** One mail server of a domain, and whose it is. */
export interface ExplainedHost {
  readonly host: string
  readonly addresses: readonly string[]
  /** Null: of nobody who is known. */
  readonly provider: string | null
}

/** A rule that says something about a key; the last one binds. */
export interface CeilingLayer {
  readonly value: unknown
  readonly origin: CeilingOrigin
  readonly layer: string
  readonly where: string
  readonly isBinding: boolean
}

export interface ExplainedCeiling {
  readonly key: CeilingKey
  readonly value: unknown
  /** The least specific one first. */
  readonly layers: readonly CeilingLayer[]
}

/** Whether it is about all mail that was asked about, or about some of it. */
export type Reach = 'all' | 'some'

export interface Explanation {
  readonly domain: string
  /** Whether it goes to the domain's own mail servers. */
  readonly isDirect: boolean
  readonly hosts: readonly ExplainedHost[]
  /** Null: it goes nowhere. */
  readonly destination: {
    /** The name under which what was said there is kept: a provider, or a site. */
    readonly name: string
    readonly provider: string | null
    readonly site: string
    /** Set: the domain has ceilings, a queue and connections of its own, under this name. */
    readonly queue: string
    readonly tlsDemandedBy: string | null
    /** Those that mail goes to, best first: a policy may leave some out. */
    readonly hosts: readonly string[]
    readonly problem: string | null
  } | null
  /** What each recipient gets instead, where it goes nowhere. */
  readonly outcome: { readonly kind: string; readonly reply: string } | null
  readonly policy: ExplainedPolicy | null
  readonly routes: readonly Choice[]
  readonly sources: readonly Choice[]
  readonly ceilings: readonly ExplainedCeiling[]
  readonly holds: readonly (Hold & { readonly reach: Reach })[]
  readonly isTeamSuspended: boolean
  /** Where it goes takes nothing: all of it waits. Null: nobody is known to be away. */
  readonly stop: DestinationStop | null
  readonly pauses: readonly (DeliveryPause & { readonly reach: Reach })[]
  readonly controllers: readonly (KeptPace & { readonly reach: Reach })[]
  /** What waits for the domain, and for all that goes to the same destination. */
  readonly waiting: {
    readonly domain: SummaryGroup | null
    readonly destination: SummaryGroup | null
    readonly isComplete: boolean
  }
  readonly expected: Expected
}

/** How fast it goes. Rates are messages in a second, of all processes together. */
export interface Expected {
  /** Null: nothing but the connections limits it. */
  readonly rate: number | null
  readonly boundBy: string | null
  /** When it goes on, if it rests now. */
  readonly notBefore: Date | null
  /** When the last of what waits at the destination would leave. Null: nobody can tell. */
  readonly lastLeavesAt: Date | null
}

/** Asks the DNS, and the domain's web server for its policy, as delivery would. */
export async function explainMail(parts: ExplainParts, mail: ExplainedMail): Promise<Explanation> {
  const domain = toAsciiDomain(mail.domain)
  const [found, policy, route] = await Promise.all([
    parts.exchanger?.hostsFor(domain),
    parts.policies?.find(domain),
    parts.router.resolve(domain),
    parts.ceilings.load(),
  ])
  const about = { ...mail, domain }
  const hosts = found?.kind === 'found' ? hostsOf(found.hosts) : []
  const state = await readState(parts, about, route.kind === 'none' ? null : destinationNameOf(route.destination))
  const common = {
    domain,
    isDirect: parts.exchanger !== null,
    hosts,
    policy: policy ?? null,
    routes: parts.routes,
    sources: parts.sources,
    ...state,
  }
  if (route.kind === 'none') {
    const { kind, reply } = route.outcome
    const waiting = await readWaiting(parts.db, { domain, destination: null })
    return { ...common, ...NOWHERE, outcome: { kind, reply }, waiting }
  }
  const { destination } = route
  const name = destinationNameOf(destination)
  const slowing = await readSlowing(parts, about, destination)
  const ceilings = explainCeilings(parts, destination, domain)
  const waiting = await readWaiting(parts.db, { domain, destination: name })
  return {
    ...common,
    destination: describe(destination, { domain, isOwn: parts.ceilings.hasDomain(domain) }),
    outcome: null,
    ceilings,
    ...slowing,
    waiting,
    expected: expectedOf({ ...slowing, sources: parts.sources, ceilings, waiting, now: parts.db.clock.now() }),
  }
}

const NOWHERE = {
  destination: null,
  ceilings: [],
  stop: null,
  pauses: [],
  controllers: [],
  expected: { rate: null, boundBy: null, notBefore: null, lastLeavesAt: null },
}

/** Each machine once, in the order in which they are asked. */
function hostsOf(hosts: readonly { readonly host: string; readonly address: string }[]): ExplainedHost[] {
  const byName = new Map<string, string[]>()
  for (const { host, address } of hosts) byName.set(host, [...(byName.get(host) ?? []), address])
  return [...byName].map(([host, addresses]) => ({ host, addresses, provider: providerOf([host]) }))
}

const describe = (destination: Destination, { domain, isOwn }: { domain: string; isOwn: boolean }) => ({
  name: destinationNameOf(destination),
  provider: destination.provider ?? null,
  site: destination.site ?? destination.name,
  queue: isOwn ? domainAsDestination(domain) : destination.name,
  tlsDemandedBy: destination.tlsDemandedBy ?? null,
  hosts: [...new Set(destination.hosts.map(({ host }) => host))],
  problem: destination.problem ?? null,
})

/** As `Pace` asks for them. */
function explainCeilings(
  { ceilings, source }: ExplainParts,
  destination: Destination,
  domain: string,
): ExplainedCeiling[] {
  const scope = {
    provider: destination.provider,
    site: destination.site ?? destination.name,
    source: source.source,
    domain: ceilings.hasDomain(domain) ? domain : undefined,
  }
  const rules = ceilings.layersFor(scope)
  return (Object.keys(ceilings.for(scope)) as CeilingKey[]).map((key) => {
    const saying = rules.filter(({ values }) => key in values)
    const layers = saying.map((rule, index) => ({
      value: rule.values[key],
      origin: rule.origin,
      layer: layerOf(rule.scope),
      where: rule.whereIs(key),
      isBinding: index === saying.length - 1,
    }))
    return { key, value: layers.at(-1)!.value, layers }
  })
}

async function readState({ db }: ExplainParts, { domain, team, from }: ExplainedMail, destination: string | null) {
  const holds = (await listHolds(db)).flatMap((hold) => {
    const reaches = [
      hold.tag === null ? ('all' as const) : ('some' as const),
      hold.destination !== null && hold.destination !== destination ? ('none' as const) : ('all' as const),
      reachOf(hold.recipientDomain, domain),
      reachOf(hold.team, team),
      reachOf(hold.senderDomain, from && toAsciiDomain(from)),
    ]
    return reaches.includes('none')
      ? []
      : [{ ...hold, reach: reaches.includes('some') ? ('some' as const) : ('all' as const) }]
  })
  const [state] = team
    ? await db.query<{ isStopped: boolean }>(
        sql`select is_stopped as "isStopped" from ${TEAM_STATES} t where id = ${team}`,
      )
    : []
  return { holds, isTeamSuspended: state?.isStopped ?? false }
}

/** What a rule says, against what is known of the mail. */
function reachOf(rule: string | null, given: string | undefined): Reach | 'none' {
  if (rule === null) return 'all'
  if (given === undefined) return 'some'
  return rule === given ? 'all' : 'none'
}

/** The pauses and controllers that are about this mail. */
async function readSlowing({ db, source, sources }: ExplainParts, mail: ExplainedMail, destination: Destination) {
  const now = db.clock.now()
  const [pauses, paces, stops] = [await findPauses(db, now), await findPaces(db), await findStops(db)]
  const names = destinationNamesOf({ destination, domain: mail.domain })
  const reached = <Item extends Pick<DeliveryPause, 'kind' | 'identity'>>(item: Item): (Item & { reach: Reach })[] => {
    const reach = reachOfIdentity(item, mail, { ...source, isOnly: sources.length <= 1 })
    return reach === 'none' ? [] : [{ ...item, reach }]
  }
  return {
    stop: stops.find((one) => one.destination === destination.name || names.includes(one.destination)) ?? null,
    pauses: pauses.filter((one) => one.pausedUntil > now && names.includes(one.destination)).flatMap(reached),
    controllers: paces.filter((one) => one.destination === destinationNameOf(destination)).flatMap(reached),
  }
}

function reachOfIdentity(
  { kind, identity }: Pick<DeliveryPause, 'kind' | 'identity'>,
  { team, from }: ExplainedMail,
  source: SourceIdentity & { readonly isOnly: boolean },
): Reach | 'none' {
  switch (kind) {
    case 'site':
      return 'all'
    case 'source':
    case 'netblock':
      return identity === source[kind] && source.isOnly ? 'all' : 'some'
    case 'tenant':
      return reachOf(identity, team)
    case 'url_domain':
      return 'some'
    case 'spf_domain':
    case 'dkim_domain': {
      if (from === undefined) return 'some'
      const name = toAsciiDomain(from)
      // A return path is below the sender's domain.
      return identity === name || identity.endsWith(`.${name}`) ? 'all' : 'none'
    }
    default:
      return kind satisfies never
  }
}

async function readWaiting(db: Database, { domain, destination }: { domain: string; destination: string | null }) {
  const ofDomain = await summarizeQueue(db, { by: 'domain', filter: { domain } })
  const ofDestination =
    destination === null ? null : await summarizeQueue(db, { by: 'destination', filter: { destination } })
  return {
    domain: ofDomain.groups[0] ?? null,
    destination: ofDestination?.groups.find(({ name }) => name === destination) ?? null,
    isComplete: ofDomain.capped.length === 0 && (ofDestination?.capped.length ?? 0) === 0,
  }
}

interface Slowing extends Pick<Explanation, 'stop' | 'pauses' | 'controllers' | 'ceilings' | 'waiting'> {
  readonly sources: ExplainParts['sources']
  readonly now: Date
}

function expectedOf({ stop, pauses, controllers, sources, ceilings, waiting, now }: Slowing): Expected {
  // Each is about some of the mail, and all of them together about all of it.
  const identities = sources.map(({ identity }) => identity)
  const pace = sources.length > 1 ? commonPace(controllers, identities) : null
  const pause = sources.length > 1 ? commonPause(pauses, identities) : null
  const limiting = controllers.filter(({ reach }) => reach === 'all')
  const ceiling = ceilings.find(({ key }) => key === 'rate')
  const most = (ceiling?.value ?? null) as number | null
  const limits = [
    ...(most === null ? [] : [{ rate: most, by: `the ceiling of ${ceiling!.layers.at(-1)!.where}` }]),
    ...limiting.map(({ kind, identity, state }) => ({
      rate: rateOf(state, most),
      by: `the controller of ${[kind, identity].filter((word) => word !== '').join(' ')}`,
    })),
    ...(pace ? [{ rate: pace.rate, by: 'the controllers of all sources' }] : []),
  ].sort((a, b) => a.rate - b.rate)
  const times = [
    ...(stop ? [stop.stoppedUntil.getTime()] : []),
    ...pauses.filter(({ reach }) => reach === 'all').map(({ pausedUntil }) => pausedUntil.getTime()),
    ...limiting.map(({ state }) => state.restUntil),
    ...(pace ? [pace.restUntil] : []),
    ...(pause ? [pause.pausedUntil.getTime()] : []),
  ].filter((time) => time > now.getTime())
  const notBefore = times.length > 0 ? new Date(Math.max(...times)) : null
  const [slowest] = limits
  const count = Math.max(lengthOf(waiting.domain), lengthOf(waiting.destination))
  const begin = (notBefore ?? now).getTime()
  return {
    rate: slowest?.rate ?? null,
    boundBy: slowest?.by ?? null,
    notBefore,
    lastLeavesAt: slowest && count > 0 ? new Date(begin + (count / slowest.rate) * 1_000) : null,
  }
}

const lengthOf = (group: SummaryGroup | null) => (group ? group.waiting + group.inFlight + group.deferred : 0)
