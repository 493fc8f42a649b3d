import { randomOf } from '../random.ts'
import { allowance } from '../sites/allowance.ts'
import type { Limit, SiteDefinition, SitePolicy, World } from '../sites/site-policy.ts'
import { ESCALATES, PROVIDERS, type ProviderSketch } from './providers.ts'

export interface WorldOptions {
  readonly seed: number
  readonly sites: number
  readonly windowHours?: number
}

const WINDOW_HOURS = 2
/** Documentation addresses: they are names here, of nobody. */
const SOURCES = ['192.0.2.10', '192.0.2.11']
const TENANTS = 4
/** More than a site takes in the window, so that the limit is what counts. */
const OFFER_FACTOR = 1.3
/** Of the sites that are no large providers, the part that has a rate limit. */
const LIMITED_SHARE = 0.08
/** A burst is so many minutes of the limit: from, to. */
const BURST_MINUTES = [1, 5] as const
const WARM_DAY = 1_000

/** A world that is the same for the same seed: a few large providers, some sites with limits, and many small ones with habits of their own. */
export function generateWorld({ seed, sites, windowHours = WINDOW_HOURS }: WorldOptions): World {
  const dice = new SeededRandom(seed)
  const world = { window_hours: windowHours, sources: SOURCES, tenants: TENANTS, sites: [] }
  const definitions = Array.from({ length: sites }, (_, index) => {
    const provider = PROVIDERS[index]
    const site = provider ? largeSite(dice, provider) : smallSite(dice, index)
    return site.temper.limits ? saturated(site, world) : site
  })
  return { ...world, sites: definitions }
}

/** A site that always has more waiting for it than it takes. */
function saturated(site: SiteDefinition, world: World): SiteDefinition {
  const known = allowance({ ...site, daily_offer: 1e9, temper: { ...site.temper, unknown_share: 0 } }, world, WARM_DAY)
  return { ...site, daily_offer: Math.ceil((known * OFFER_FACTOR) / (1 - (site.temper.unknown_share ?? 0))) }
}

function largeSite(
  dice: SeededRandom,
  { name, voice, domains, hosts, perMinute, temper }: ProviderSketch,
): SiteDefinition {
  const limits = perMinute.map(({ by, range }) => limitOf(dice, by, range))
  const site = { name, voice, domains: [...domains], hosts: [...hosts] }
  return { ...site, daily_offer: 1, temper: { ...temper, limits } }
}

function smallSite(dice: SeededRandom, index: number): SiteDefinition {
  const name = `site${String(index + 1).padStart(3, '0')}`
  const hosts = dice.chance(0.5) ? [`mx.${name}.internal`] : [`mx1.${name}.internal`, `mx2.${name}.internal`]
  const voice = dice.chance(0.3) ? ('exchange' as const) : ('postfix' as const)
  const temper = dice.chance(LIMITED_SHARE) ? limitedTemper(dice) : unlimitedTemper(dice)
  return {
    name,
    voice,
    domains: [`${name}.internal`],
    hosts,
    daily_offer: dice.whole(20, 200),
    temper: { ...temper, ...tlsOf(dice) },
  }
}

function limitedTemper(dice: SeededRandom): SitePolicy {
  const by = dice.pick(['source', 'source', 'source', 'dkim_domain', 'tenant'] as const)
  return {
    limits: [limitOf(dice, by, [10, 30])],
    ...(dice.chance(0.5) && {
      escalation: { ...ESCALATES, deferrals: dice.whole(20, 60) },
    }),
    ...(dice.chance(0.3) && { warm_up: { by, share: 0.25, growth: 1.5 } }),
    max_connections: dice.whole(2, 10),
  }
}

function unlimitedTemper(dice: SeededRandom): SitePolicy {
  if (dice.chance(0.04)) return { reachable: dice.pick(['refused', 'timeout'] as const) }
  if (dice.chance(0.03)) return { refuses_all: true }
  return {
    ...(dice.chance(0.25) && { greylist_seconds: dice.whole(60, 600) }),
    ...(dice.chance(0.3) && { max_connections: dice.whole(1, 5) }),
    ...(dice.chance(0.2) && { max_messages_per_connection: dice.whole(3, 50), closes_silently: dice.chance(0.3) }),
    ...(dice.chance(0.1) && { tarpit: { after_messages: dice.whole(0, 10), delay_seconds: dice.whole(2, 20) } }),
    ...(dice.chance(0.4) && { unknown_share: dice.whole(1, 10) / 100 }),
  }
}

function tlsOf(dice: SeededRandom): Pick<SitePolicy, 'tls' | 'mta_sts'> {
  const tls = dice.chance(0.7) ? 'good' : dice.chance(0.2) ? 'broken' : 'none'
  return { tls, mta_sts: tls === 'good' && dice.chance(0.1) ? dice.pick(['testing', 'enforce'] as const) : 'none' }
}

function limitOf(dice: SeededRandom, by: Limit['by'], [from, to]: readonly [number, number]): Limit {
  const per_minute = dice.whole(from, to)
  return { by, per_minute, burst: Math.ceil(per_minute * dice.between(...BURST_MINUTES)) }
}

class SeededRandom {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = randomOf(seed)
  }

  chance = (share: number) => this.#next() < share
  between = (from: number, to: number) => from + this.#next() * (to - from)
  whole = (from: number, to: number) => Math.floor(this.between(from, to + 1))
  pick = <Item>(items: readonly Item[]): Item => items[this.whole(0, items.length - 1)]!
}
