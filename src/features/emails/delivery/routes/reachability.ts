/** So many sites that cannot be connected to, and nobody who answers for so long, are no coincidence: the fault is on our side. */
export const MIN_SITES = 5
export const SILENT_MS = 30_000
/** What was found out longer ago does not count: sites go away one by one. */
const WINDOW_MS = 60_000
const MAX_SITES = 100
/** Sites that are known to be away by themselves. */
const MAX_AWAY = 10_000

interface UnreachedSite {
  /** When the first attempt began that found it so. */
  readonly since: number
  /** When the last one ended. */
  readonly at: number
}

/**
 * Whether mail that goes straight to sites reaches any of them. Each answer shows that the network is there, and that sites which could not be
 * connected to by then are away by themselves; what began before it says nothing of the time since. Times in milliseconds.
 */
export class Reachability {
  #answeredAt: number
  readonly #unreached = new Map<string, UnreachedSite>()
  readonly #away = new Set<string>()

  /** A process that starts has heard nobody yet, and gives everybody the time to answer. */
  constructor(now: number) {
    this.#answeredAt = now
  }

  /** A site has answered: those that could not be reached until now are away by themselves, until they answer. */
  answered(site: string, now: number) {
    this.#answeredAt = now
    if (this.#away.size > 0) this.#away.delete(site)
    if (this.#unreached.size === 0) return
    if (this.#away.size >= MAX_AWAY) this.#away.clear()
    for (const one of this.#unreached.keys()) if (one !== site) this.#away.add(one)
    this.#unreached.clear()
  }

  /** The network is back: which sites are away by themselves is found out anew. */
  reset(now: number) {
    this.#answeredAt = now
    this.#unreached.clear()
  }

  /** An attempt that began then found nobody to connect to. */
  unreached(site: string, { startedAt, now }: { readonly startedAt: number; readonly now: number }) {
    // Later than now: the clock was set back.
    if (startedAt < this.#answeredAt && this.#answeredAt <= now) return
    if (this.#away.has(site)) return
    const known = this.#unreached.get(site)
    if (!known && this.#unreached.size >= MAX_SITES) return
    this.#unreached.set(site, { since: Math.min(known?.since ?? startedAt, startedAt), at: now })
  }

  /** How many sites were found so, if nobody has answered for long enough; 0: the network is there, as far as is known. */
  sitesLost(now: number): number {
    for (const [site, { at }] of this.#unreached) if (Math.abs(now - at) > WINDOW_MS) this.#unreached.delete(site)
    if (this.#unreached.size < MIN_SITES) return 0
    const since = Math.min(...[...this.#unreached.values()].map((site) => site.since))
    return now - since >= SILENT_MS ? this.#unreached.size : 0
  }
}
