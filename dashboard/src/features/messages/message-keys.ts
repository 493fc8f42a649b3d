import { type PageKey, usePageKeys } from '../../ui/page-keys.ts'
import { texts } from './texts.ts'

export type KeyAct = 'close' | 'pick' | 'remove' | 'read' | 'unread'

/** Besides `j` and `k`, which the open message has, Enter and `/`, which mean on every page what they mean here. */
const ACTS: Readonly<Record<string, KeyAct>> = {
  u: 'close',
  Escape: 'close',
  x: 'pick',
  '#': 'remove',
  Delete: 'remove',
  I: 'read',
  U: 'unread',
}

const HELP: readonly PageKey[] = [
  { keys: ['j'], what: texts.keys.next },
  { keys: ['k'], what: texts.keys.previous },
  { keys: ['u', 'Escape'], what: texts.actions.backToList },
  { keys: ['x'], what: texts.keys.select },
  { keys: ['#', 'Delete'], what: texts.keys.delete },
  { keys: ['I'], what: texts.actions.markAsRead },
  { keys: ['U'], what: texts.actions.markAsUnread },
]

/** Calls `run` with what a key means here. It says whether there was something to do; otherwise the key has its usual meaning. */
export const useMessageKeys = (run: (act: KeyAct) => boolean) =>
  usePageKeys(({ key }) => {
    const act = ACTS[key]
    return act !== undefined && run(act)
  }, HELP)

/** The row that has the focus. */
export const focusedRow = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-message]')?.dataset.message
