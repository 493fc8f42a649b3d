import { Busy } from './fair-queue.ts'

/** How much of something is open, of each tenant and in all. What is open stays so for long: nobody waits for it to end. */
export class OpenCount {
  readonly #limits: { readonly inAll: number; readonly perTenant: number }
  readonly #tenants = new Map<string, number>()
  #size = 0

  constructor(limits: { readonly inAll: number; readonly perTenant: number }) {
    this.#limits = limits
  }

  /** Throws `Busy` when there is none for this tenant. */
  requireFree(tenant: string) {
    if (this.#of(tenant) >= this.#limits.perTenant) throw new Busy(true)
    if (this.#size >= this.#limits.inAll) throw new Busy(false)
  }

  /** Gives back how to close it again. */
  open(tenant: string): () => void {
    this.requireFree(tenant)
    this.#add(tenant, 1)
    let isOpen = true
    return () => {
      if (isOpen) this.#add(tenant, -1)
      isOpen = false
    }
  }

  #of(tenant: string): number {
    return this.#tenants.get(tenant) ?? 0
  }

  #add(tenant: string, change: 1 | -1) {
    this.#size += change
    const open = this.#of(tenant) + change
    if (open > 0) this.#tenants.set(tenant, open)
    else this.#tenants.delete(tenant)
  }
}
