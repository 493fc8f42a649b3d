import { localDrafts } from '../../../ui/draft-storage.ts'
import type { UnsavedDraft } from './unsaved-draft.ts'

const PREFIX = 'draft:'

export const storeUnsavedDraft = (unsaved: UnsavedDraft) => localDrafts.write(PREFIX + unsaved.key, unsaved)
export const removeUnsavedDraft = (key: string) => localDrafts.remove(PREFIX + key)

export const unsavedDraftsOf = (inbox: string): UnsavedDraft[] =>
  (localDrafts.list(PREFIX) as (UnsavedDraft | null)[])
    .filter((one): one is UnsavedDraft => one !== null && one.inbox === inbox)
    .sort((a, b) => b.at - a.at)

// Whether the editor of an unsaved draft is still open, in this tab or another one, a lock says: the browser frees it when the tab ends,
// however it ends. Browsers have locks for TLS and for this machine only; elsewhere time has to do.
const QUIET_MS = 60_000
const lockOf = (key: string) => `postwren-draft-${key}`

/** Says that its editor is open, until the function is called that this answers. */
export function holdOpen(key: string): () => void {
  let release = () => {}
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  navigator.locks?.request(lockOf(key), () => until)
  return () => release()
}

export async function isOpen({ key, at }: UnsavedDraft): Promise<boolean> {
  if (!navigator.locks) return Date.now() - at < QUIET_MS
  return navigator.locks.request(lockOf(key), { ifAvailable: true }, (lock) => lock === null)
}
