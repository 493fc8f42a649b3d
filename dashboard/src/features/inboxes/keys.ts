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
    { keys: ['j', 'ArrowDown'], act: 'next', what: texts.keys.next },
    { keys: ['k', 'ArrowUp'], act: 'previous', what: texts.keys.previous },
    { keys: ['Enter', 'o'], act: 'open', what: texts.keys.open },
    { keys: ['u', 'Escape'], act: 'back', what: texts.panes.backToList },
    { keys: ['x'], act: 'pick', what: texts.keys.select },
    { keys: ['*'], act: 'pick-all', what: texts.keys.selectAll },
    { keys: ['e'], act: 'archive', what: texts.moves.archive },
    { keys: ['#', 'Delete'], act: 'trash', what: texts.moves.trash },
    { keys: ['!'], act: 'spam', what: texts.moves.spam },
    { keys: ['i'], act: 'inbox', what: texts.moves.inbox },
    { keys: ['I'], act: 'read', what: texts.threadActs.markAsRead },
    { keys: ['U'], act: 'unread', what: texts.threadActs.markAsUnread },
    { keys: ['l'], act: 'labels', what: texts.keys.labels },
    { keys: ['m'], act: 'assign', what: texts.keys.assign },
    { keys: ['z'], act: 'undo', what: texts.keys.undo },
    { keys: ['c'], act: 'write', what: texts.keys.compose },
    { keys: ['r'], act: 'reply', what: texts.conversation.reply },
    { keys: ['a'], act: 'reply-all', what: texts.conversation.replyToAll },
    { keys: ['f'], act: 'forward', what: texts.conversation.forward },
    { keys: ['/'], act: null, what: texts.keys.search },
    { keys: ['?'], act: 'help', what: texts.keys.title },
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
  }, KEYS)
