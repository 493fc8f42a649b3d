import { Sample } from '../../platform/observability/sample.ts'
import type { BlobStore } from './blob-store.ts'

/** `disk_full`: there is no room for more. `away`: what is written fails for another reason. */
export type BlobState = 'ok' | 'away' | 'disk_full'

/** One key for all processes: it is replaced and never removed, so no probe leaves anything behind. */
const PROBE_KEY = 'readiness-probe'
const PROBE_EVERY_MS = 30_000
const PROBE_WITHIN_MS = 1_000

/** A write that has not ended by then is as good as one that failed: a network file system may hang without end. */
const MAX_WRITE_MS = 10_000

const DISK_FULL_ERRNOS = new Set(['EDQUOT', 'ENOSPC'])

/**
 * A blob store that knows whether it can be written to: a write that failed is remembered until one succeeds. Whoever asks makes it write
 * something small, at most twice a minute.
 */
export class WatchedBlobStore implements BlobStore {
  readonly #store: BlobStore
  readonly #probe: Sample<void>
  #state: BlobState = 'ok'
  #probedAt: number | null = null

  constructor(store: BlobStore, { probeEveryMs = PROBE_EVERY_MS } = {}) {
    this.#store = store
    this.#probe = new Sample(() => this.#writeProbe(), { freshMs: probeEveryMs, waitMs: PROBE_WITHIN_MS })
  }

  async put(key: string, content: Buffer) {
    try {
      await this.#store.put(key, content)
      this.#state = 'ok'
    } catch (error) {
      this.#state = isDiskFull(error) ? 'disk_full' : 'away'
      throw error
    }
  }

  get(key: string) {
    return this.#store.get(key)
  }

  open(key: string) {
    return this.#store.open(key)
  }

  remove(key: string) {
    return this.#store.remove(key)
  }

  archived() {
    return this.#store.archived()
  }

  async readState(): Promise<BlobState> {
    await this.#probe.get()
    const isHanging = this.#probedAt !== null && performance.now() - this.#probedAt > MAX_WRITE_MS
    return isHanging ? 'away' : this.#state
  }

  async #writeProbe() {
    this.#probedAt = performance.now()
    await this.put(PROBE_KEY, Buffer.from('Whether the store can be written to.')).catch(() => {})
    this.#probedAt = null
  }
}

function isDiskFull(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return DISK_FULL_ERRNOS.has(String(code)) || (cause instanceof Error && isDiskFull(cause))
}
