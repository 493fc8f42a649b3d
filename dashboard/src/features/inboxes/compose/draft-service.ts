import type { Draft, DraftFields, Origin } from './draft-content.ts'

/** How an upload goes. */
export interface Uploading {
  /** How much of it has left, from 0 to 1. */
  readonly onProgress: (share: number) => void
  readonly signal: AbortSignal
}

interface Versioned {
  readonly version: number
}

/** Where drafts are kept: `draft-calls.ts`, and in tests something that fails when it is asked to. */
export interface DraftService {
  /** The same key makes one draft, however often it is called. A reply that has a draft answers with that one. */
  create(origin: Origin, key: string): Promise<Versioned & { readonly id: string }>
  read(id: string): Promise<Draft>
  /** `keepalive`: also when the page is closed. */
  update(id: string, changes: DraftFields, how?: { readonly keepalive: boolean }): Promise<Versioned>
  /** One file more, besides those that it has. */
  attach(
    id: string,
    file: File,
    existing: readonly { readonly id: string }[],
    version: number,
    how: Uploading,
  ): Promise<Versioned>
  remove(id: string): Promise<unknown>
  /** This version and no other, once, in a few seconds. */
  send(id: string, version: number): Promise<{ readonly thread_id: string | null }>
}
