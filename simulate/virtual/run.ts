import { groupBy } from '../../src/platform/group-by.ts'
import { randomOf } from '../random.ts'
import { allowance, type Tenant, tenantsOf } from '../sites/allowance.ts'
import { DAY_MS } from '../sites/sender-reputation.ts'
import { Site, type SiteCounts } from '../sites/site.ts'
import type { Identity, SiteDefinition, World } from '../sites/site-policy.ts'
import type { Pacer, Route, Strategy } from '../strategies/pacer.ts'
import { EventQueue } from './event-queue.ts'
import { Pool } from './sender.ts'

export interface VirtualOptions {
  readonly world: World
  readonly strategy: Strategy
  readonly days: number
  readonly seed: number
  /** After each virtual day. */
  readonly onDay?: (day: number) => void
}

/** What came of one site. */
export interface SiteResult extends SiteCounts {
  readonly site: string
  /** The most that it would have taken. */
  readonly allowed: number
  /** Mail that the sender gave up because of what was said about the sender. */
  readonly lost: number
  /** Since which day each identity that had to warm up is warm; null: never. */
  readonly warmth: readonly (number | null)[]
}

export interface VirtualResult {
  readonly strategy: string
  readonly sites: readonly SiteResult[]
}

/** Mail of a day comes at eight in the morning. */
const OFFERED_AT_MS = 8 * 3_600_000

/** A month of sending by one strategy. The same for the same world and seed, to the message. */
export function runVirtual({ world, strategy, days, seed, onDay }: VirtualOptions): VirtualResult {
  const events = new EventQueue(0)
  const pacer = strategy.create()
  const sites = world.sites.map((definition, index) => siteOf({ world, definition, pacer, events, seed: seed + index }))
  for (let day = 0; day < days; day++) {
    const offeredMs = day * DAY_MS + OFFERED_AT_MS
    events.advance(offeredMs)
    for (const { pools, perLane } of sites) for (const pool of pools) pool.offer(day, perLane)
    events.advance(offeredMs + world.window_hours * 3_600_000)
    for (const { pools } of sites) for (const pool of pools) pool.withdraw()
    onDay?.(day + 1)
  }
  return { strategy: strategy.name, sites: sites.map(({ site, pools }) => resultOf(site, pools, { world, days })) }
}

function siteOf(parts: { world: World; definition: SiteDefinition; pacer: Pacer; events: EventQueue; seed: number }) {
  const { world, definition, pacer, events, seed } = parts
  const site = new Site(definition)
  const random = randomOf(seed)
  const recipients = definition.daily_offer * 2
  const nextRecipient = () => `user${Math.floor(random() * recipients)}`
  const tenants = tenantsOf(world)
  const routes = tenants.map((tenant, index) => routeOf(definition, tenant, index))
  const pools = [...groupBy(routes, ({ identity }) => identity.source)].map(
    ([source, ofSource]) => new Pool({ site, source, routes: ofSource, pacer, events, nextRecipient }),
  )
  return { site, pools, perLane: Math.ceil(definition.daily_offer / tenants.length) }
}

function routeOf({ name, domains, hosts }: SiteDefinition, tenant: Tenant, index: number): Route {
  return { site: name, domain: domains[index % domains.length]!, hosts, identity: identityOf(tenant) }
}

/** Each tenant has a domain of its own for everything. */
export const identityOf = ({ name, source }: Tenant): Identity => ({
  source,
  spf_domain: `send.${name}.internal`,
  dkim_domain: `${name}.internal`,
  url_domain: `links.${name}.internal`,
  tenant: name,
})

function resultOf(site: Site, pools: readonly Pool[], { world, days }: { world: World; days: number }): SiteResult {
  const { definition, counts, warmth } = site
  const allowed = Array.from({ length: days }, (_, day) => allowance(definition, world, day)).reduce((a, b) => a + b, 0)
  const lost = pools.reduce((sum, pool) => sum + pool.lost, 0)
  return { site: definition.name, allowed, lost, warmth, ...counts }
}
