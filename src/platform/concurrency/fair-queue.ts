/** What tenants share: how much there is, how much of it is one tenant's at most, and how much waiting there may be. */
export interface Share {
  readonly slots: number
  readonly perTenant: number
  readonly waitingPerTenant: number
  /** How long somebody waits before they are refused with `Busy`. */
  readonly waitMs: number
}

/** Nothing was done. Its code is the SQLSTATE of "too many connections", so it counts as an unavailable database everywhere. */
export class Busy extends Error {
  readonly code = '53300'
  /** What the tenant does already is in its way; not what others do. */
  readonly isOwnDoing: boolean

  constructor(isOwnDoing: boolean) {
    super('too many requests in progress')
    this.isOwnDoing = isOwnDoing
  }
}

interface Waiter {
  start(): void
  readonly timer: NodeJS.Timeout
}

interface Tenant {
  held: number
  /** The number of the last turn that it had. */
  turn: number
  readonly waiting: Waiter[]
}

/**
 * Slots that tenants share. A slot that becomes free goes to the tenant that holds the fewest, and among equals to the one that
 * was served longest ago: whoever asks for a thousand waits behind themselves and nobody else. Both the line of a tenant and the
 * time in it are bounded.
 */
export class FairQueue {
  readonly #share: Share
  /** Those who hold or wait. */
  readonly #tenants = new Map<string, Tenant>()
  #taken = 0
  #waiting = 0
  #turns = 0

  constructor(share: Share) {
    this.#share = share
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Runs the work once the tenant has a slot for it. Throws `Busy` without having run it, or the reason of the signal if that is
   * aborted meanwhile.
   */
  async run<Result>(tenant: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (!this.#tryTake(tenant)) await this.#wait(tenant, signal)
    try {
      return await work()
    } finally {
      this.#leave(tenant)
    }
  }

  #tryTake(name: string): boolean {
    let tenant = this.#tenants.get(name)
    if (!tenant) {
      tenant = { held: 0, turn: 0, waiting: [] }
      this.#tenants.set(name, tenant)
    }
    if (this.#taken >= this.#share.slots || tenant.held >= this.#share.perTenant) return false
    this.#serve(tenant)
    return true
  }

  #serve(tenant: Tenant) {
    this.#taken++
    tenant.held++
    tenant.turn = ++this.#turns
  }

  #wait(name: string, signal?: AbortSignal): Promise<void> {
    const tenant = this.#tenants.get(name)!
    const { perTenant, waitingPerTenant, waitMs } = this.#share
    if (tenant.waiting.length >= waitingPerTenant) return Promise.reject(new Busy(true))
    return new Promise((resolve, reject) => {
      const giveUp = (reason: unknown) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        tenant.waiting.splice(tenant.waiting.indexOf(waiter), 1)
        this.#waiting--
        reject(reason)
        this.#forgetIfGone(name, tenant)
      }
      const abort = () => giveUp(signal!.reason)
      const timer = setTimeout(() => giveUp(new Busy(tenant.held >= perTenant)), waitMs).unref()
      const start = () => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      const waiter: Waiter = { start, timer }
      signal?.addEventListener('abort', abort)
      tenant.waiting.push(waiter)
      this.#waiting++
    })
  }

  #leave(name: string) {
    const tenant = this.#tenants.get(name)!
    this.#taken--
    tenant.held--
    this.#forgetIfGone(name, tenant)
    if (this.#waiting > 0) this.#serveNext()
  }

  #serveNext() {
    let next: Tenant | null = null
    for (const tenant of this.#tenants.values()) {
      if (tenant.waiting.length === 0 || tenant.held >= this.#share.perTenant) continue
      const isBefore = !next || tenant.held < next.held || (tenant.held === next.held && tenant.turn < next.turn)
      if (isBefore) next = tenant
    }
    if (!next) return
    const { start, timer } = next.waiting.shift()!
    clearTimeout(timer)
    this.#waiting--
    this.#serve(next)
    start()
  }

  #forgetIfGone(name: string, { held, waiting }: Tenant) {
    if (held === 0 && waiting.length === 0) this.#tenants.delete(name)
  }
}
