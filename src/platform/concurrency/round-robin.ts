interface TenantItems<Item> {
  readonly items: { readonly item: Item; readonly weight: number }[]
  weight: number
}

/** Round robin over tenants, one item each: whoever brings a thousand waits behind themselves and nobody else. */
export class RoundRobin<Item> {
  /** The one whose turn it is first. */
  readonly #tenants = new Map<string, TenantItems<Item>>()
  #size = 0
  #weight = 0

  get size(): number {
    return this.#size
  }

  get weight(): number {
    return this.#weight
  }

  weightOf(tenant: string): number {
    return this.#tenants.get(tenant)?.weight ?? 0
  }

  add(item: Item, { tenant, weight }: { tenant: string; weight: number }) {
    let own = this.#tenants.get(tenant)
    if (!own) {
      own = { items: [], weight: 0 }
      this.#tenants.set(tenant, own)
    }
    own.items.push({ item, weight })
    own.weight += weight
    this.#size++
    this.#weight += weight
  }

  /** The next ones, up to this weight together; at least one, whatever it weighs. */
  take(maxWeight: number): Item[] {
    const taken: Item[] = []
    let weightLeft = maxWeight
    for (const [tenant, own] of this.#tenants) {
      const [next] = own.items
      if (taken.length > 0 && next!.weight > weightLeft) break
      own.items.shift()
      own.weight -= next!.weight
      this.#size--
      this.#weight -= next!.weight
      weightLeft -= next!.weight
      taken.push(next!.item)
      // Behind the others: a Map is walked in the order of its entries, and this one comes again.
      this.#tenants.delete(tenant)
      if (own.items.length > 0) this.#tenants.set(tenant, own)
    }
    return taken
  }
}
