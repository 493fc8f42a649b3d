import { usePageKeys } from '../../ui/page-keys.ts'
import { texts } from './texts.ts'

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
    { keys: ['j', 'ArrowDown'], act: 'next', what: texts.nextThread },
    { keys: ['k', 'ArrowUp'], act: 'previous', what: texts.previousThread },
    { keys: ['Enter', 'o'], act: 'open', what: texts.openThread },
    { keys: ['u', 'Escape'], act: 'back', what: texts.backList },
    { keys: ['x'], act: 'pick', what: texts.selectDeselect },
    { keys: ['*'], act: 'pick-all', what: texts.selectAllNone },
    { keys: ['e'], act: 'archive', what: texts.archive },
    { keys: ['#', 'Delete'], act: 'trash', what: texts.moveTrash },
    { keys: ['!'], act: 'spam', what: texts.markAsSpam },
    { keys: ['i'], act: 'inbox', what: texts.moveInbox },
    { keys: ['I'], act: 'read', what: texts.markAsRead },
    { keys: ['U'], act: 'unread', what: texts.markAsUnread },
    { keys: ['l'], act: 'labels', what: texts.labels },
    { keys: ['m'], act: 'assign', what: texts.assignMember },
    { keys: ['z'], act: 'undo', what: texts.undo },
    { keys: ['c'], act: 'write', what: texts.compose },
    { keys: ['r'], act: 'reply', what: texts.reply },
    { keys: ['a'], act: 'reply-all', what: texts.replyAll },
    { keys: ['f'], act: 'forward', what: texts.forward },
    { keys: ['/'], act: null, what: texts.search },
    { keys: ['?'], act: 'help', what: texts.keyboardShortcuts },
  ]

const ACTS = new Map(KEYS.flatMap(({ keys, act }) => (act ? keys.map((key) => [key, act] as const) : [])))

/** Arrows scroll where there is no list, and Enter is for the button or link that has the focus. */
function isForElement({ key, target }: KeyboardEvent): boolean {
  const element = target as HTMLElement
  if (key.startsWith(texts.arrow)) return element.closest('.thread-scroller') === null
  return key === 'Enter' && element.closest('a, button, summary') !== null
}

/** Calls `run` with what a key means here. It says whether there was something to do; otherwise the key has its usual meaning. */
export const useMailKeys = (run: (act: KeyAct) => boolean) =>
  usePageKeys((event) => {
    const act = isForElement(event) ? undefined : ACTS.get(event.key)
    return act !== undefined && run(act)
  }, KEYS)
