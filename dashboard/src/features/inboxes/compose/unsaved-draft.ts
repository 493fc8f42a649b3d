import type { Content, Origin } from './draft-content.ts'

/** What somebody has written and the service does not have yet: it outlives the connection, the tab and the browser. */
export interface UnsavedDraft {
  /** Of the editor that it was written in, and the key under which its draft is created. */
  readonly key: string
  readonly inbox: string
  readonly origin: Origin
  readonly draftId: string | null
  /** The last state that the service is known to have. */
  readonly version: number
  readonly fingerprint: number
  /** What was sent to it since, without hearing whether it arrived. */
  readonly unconfirmed: readonly number[]
  readonly content: Content
  readonly at: number
}
