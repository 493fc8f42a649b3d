import type { VirtualResult } from './run.ts'

/** The figures of one strategy, over all sites. */
export interface Summary {
  readonly strategy: string
  /** Taken, against the most that the sites would have taken. */
  readonly goodput: number
  /** The same for the site where it is least. */
  readonly worst: { readonly site: string; readonly goodput: number }
  readonly blocks: number
  readonly escalations: number
  /** Of all messages that were begun, those that were too many. */
  readonly deferralRate: number
  /** The mean over all identities that had to warm up and did; null: there was none. */
  readonly daysUntilWarm: number | null
  /** How many had to and did not. */
  readonly neverWarm: number
  readonly offered: number
  readonly taken: number
  readonly lost: number
}

export function summarize({ strategy, sites }: VirtualResult): Summary {
  const sum = (of: (site: VirtualResult['sites'][number]) => number) =>
    sites.reduce((total, site) => total + of(site), 0)
  const allowed = sum((site) => site.allowed)
  const willing = sites.filter((site) => site.allowed > 0)
  const ratios = willing.map(({ site, taken, allowed }) => ({ site, goodput: Math.min(1, taken / allowed) }))
  const worst = ratios.reduce((least, one) => (one.goodput < least.goodput ? one : least), { site: '–', goodput: 1 })
  const warmth = sites.flatMap((site) => site.warmth)
  const warm = warmth.filter((day) => day !== null)
  const offered = sum((site) => site.offered)
  return {
    strategy,
    // What a site takes beyond its expected share of unknown recipients is luck.
    goodput: allowed === 0 ? 1 : sum((site) => Math.min(site.taken, site.allowed)) / allowed,
    worst,
    blocks: sum((site) => site.blocks),
    escalations: sum((site) => site.escalations + site.blocks),
    deferralRate: offered === 0 ? 0 : sum((site) => site.throttled + site.refusedBlocked) / offered,
    daysUntilWarm: warm.length === 0 ? null : warm.reduce((total, day) => total + day, 0) / warm.length,
    neverWarm: warmth.length - warm.length,
    offered,
    taken: sum((site) => site.taken),
    lost: sum((site) => site.lost),
  }
}
