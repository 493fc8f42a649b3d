import { usePageKeys } from '../../ui/page-keys.ts'

export type KeyAct = 'next' | 'previous' | 'close' | 'pick' | 'remove' | 'read' | 'unread'

/** Besides `j`, `k`, Enter and `/`, which mean on every page what they mean here. */
const ACTS: Readonly<Record<string, KeyAct>> = {
  j: 'next',
  k: 'previous',
  u: 'close',
  Escape: 'close',
  x: 'pick',
  '#': 'remove',
  Delete: 'remove',
  I: 'read',
  U: 'unread',
}

/** Calls `run` with what a key means here. It says whether there was something to do; otherwise the key has its usual meaning. */
export const useMessageKeys = (run: (act: KeyAct) => boolean) =>
  usePageKeys(({ key }) => {
    const act = ACTS[key]
    return act !== undefined && run(act)
  })

/** The row that has the focus. */
export const focusedRow = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-message]')?.dataset.message
