import { usePageKeys } from '../../ui/page-keys.ts'

export type KeyAct =
  | 'next'
  | 'previous'
  | 'open'
  | 'back'
  | 'pick'
  | 'pick-all'
  | 'archive'
  | 'trash'
  | 'spam'
  | 'inbox'
  | 'read'
  | 'unread'
  | 'labels'
  | 'assign'
  | 'undo'
  | 'write'
  | 'reply'
  | 'reply-all'
  | 'forward'
  | 'help'

/** In the order of the help. `/` is the same on all pages, and so not handled here. */
export const KEYS: readonly { readonly keys: readonly string[]; readonly act: KeyAct | null; readonly what: string }[] =
  [
    { keys: ['j', 'ArrowDown'], act: 'next', what: 'Next thread' },
    { keys: ['k', 'ArrowUp'], act: 'previous', what: 'Previous thread' },
    { keys: ['Enter', 'o'], act: 'open', what: 'Open thread' },
    { keys: ['u', 'Escape'], act: 'back', what: 'Back to list' },
    { keys: ['x'], act: 'pick', what: 'Select or deselect' },
    { keys: ['*'], act: 'pick-all', what: 'Select all or none' },
    { keys: ['e'], act: 'archive', what: 'Archive' },
    { keys: ['#', 'Delete'], act: 'trash', what: 'Move to trash' },
    { keys: ['!'], act: 'spam', what: 'Mark as spam' },
    { keys: ['i'], act: 'inbox', what: 'Move to inbox' },
    { keys: ['I'], act: 'read', what: 'Mark as read' },
    { keys: ['U'], act: 'unread', what: 'Mark as unread' },
    { keys: ['l'], act: 'labels', what: 'Labels' },
    { keys: ['m'], act: 'assign', what: 'Assign to a member' },
    { keys: ['z'], act: 'undo', what: 'Undo the last move' },
    { keys: ['c'], act: 'write', what: 'Compose' },
    { keys: ['r'], act: 'reply', what: 'Reply' },
    { keys: ['a'], act: 'reply-all', what: 'Reply to all' },
    { keys: ['f'], act: 'forward', what: 'Forward' },
    { keys: ['/'], act: null, what: 'Search' },
    { keys: ['?'], act: 'help', what: 'Keyboard shortcuts' },
  ]

const ACTS = new Map(KEYS.flatMap(({ keys, act }) => (act ? keys.map((key) => [key, act] as const) : [])))

/** Arrows scroll where there is no list, and Enter is for the button or link that has the focus. */
function isForElement({ key, target }: KeyboardEvent): boolean {
  const element = target as HTMLElement
  if (key.startsWith('Arrow')) return element.closest('.thread-scroller') === null
  return key === 'Enter' && element.closest('a, button, summary') !== null
}

/** Calls `run` with what a key means here. It says whether there was something to do; otherwise the key has its usual meaning. */
export const useMailKeys = (run: (act: KeyAct) => boolean) =>
  usePageKeys((event) => {
    const act = isForElement(event) ? undefined : ACTS.get(event.key)
    return act !== undefined && run(act)
  })
