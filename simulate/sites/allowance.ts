import { groupBy } from '../../src/platform/group-by.ts'
import type { SiteDefinition, SitePolicy, World } from './site-policy.ts'

/** A sender of the world, and the source address that its mail comes from. */
export interface Tenant {
  readonly name: string
  readonly source: string
}

/** Tenants take turns with the sources. */
export const tenantsOf = ({ tenants, sources }: World): Tenant[] =>
  Array.from({ length: tenants }, (_, index) => ({
    name: `tenant${index + 1}`,
    source: sources[index % sources.length]!,
  }))

/**
 * The most that a site takes on a day in all, from senders who know its limits, never pass them, and so become warm as fast as it lets
 * anybody. Mail of a tenant passes the limits of its domains first, then that of its source.
 */
export function allowance(site: SiteDefinition, world: World, day: number): number {
  const { temper } = site
  if (!isWilling(temper)) return 0
  const tenants = tenantsOf(world)
  const deliverable = (site.daily_offer / tenants.length) * (1 - (temper.unknown_share ?? 0))
  const windowMinutes = world.window_hours * 60
  const mostOf = (by: string): number => {
    const limit = temper.limits?.find((one) => one.by === by)
    if (!limit) return Number.POSITIVE_INFINITY
    const warmUp = temper.warm_up?.by === by ? temper.warm_up : null
    const share = warmUp ? Math.min(1, warmUp.share * warmUp.growth ** day) : 1
    const ofStranger = warmUp?.blocks_beyond && share < 1 ? (warmUp.blocks_beyond * share) / warmUp.share : Infinity
    return Math.min(ofStranger, limit.per_minute * share * windowMinutes + Math.max(1, limit.burst * share))
  }
  const ofTenant = Math.min(
    deliverable,
    ...['spf_domain', 'dkim_domain', 'url_domain', 'tenant'].map((by) => mostOf(by)),
  )
  const bySource = groupBy(tenants, ({ source }) => source)
  return [...bySource.values()].reduce((sum, { length }) => sum + Math.min(mostOf('source'), length * ofTenant), 0)
}

/** Whether any mail can be taken there at all. */
export function isWilling({ refuses_all, reachable, tls, mta_sts }: SitePolicy): boolean {
  const isTlsImpossible = mta_sts === 'enforce' && tls !== 'good'
  return !refuses_all && (reachable ?? 'yes') === 'yes' && !isTlsImpossible
}
