import type { Content, Draft, DraftFile, Origin } from './draft-content.ts'
import type { Upload } from './file-queue.ts'
import type { UnsavedDraft } from './unsaved-draft.ts'

/** How it stands with what is written. */
export type Phase =
  /** `isChanged`: something is not saved yet, and will be in a moment. */
  | { readonly kind: 'calm'; readonly isChanged: boolean }
  | { readonly kind: 'saving' }
  /** The service cannot be reached. It is tried again, and the text is kept here. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** The service does not take it as it is. It is tried again with the next change. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'conflict'; readonly theirs: Draft }
  | { readonly kind: 'gone'; readonly how: 'sent' | 'deleted' }

export interface SaverState {
  readonly content: Content
  /** Another number when the content came from elsewhere, and the editor has to begin with it anew. */
  readonly revision: number
  readonly draftId: string | null
  readonly source: Draft['source']
  readonly files: readonly DraftFile[]
  readonly uploads: readonly Upload[]
  readonly phase: Phase
}

/** What it begins with. */
export interface Beginning {
  readonly key: string
  readonly inbox: string
  readonly origin: Origin
  readonly content: Content
  readonly draft: Draft | null
}

/** Stores a draft in the browser until the service has it. */
export interface DraftStorage {
  store(unsaved: UnsavedDraft): boolean
  remove(key: string): void
}
