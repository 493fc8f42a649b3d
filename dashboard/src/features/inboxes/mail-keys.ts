import type { Composer } from './compose/composer.tsx'
import type { MoveTarget } from './folders.ts'
import type { KeyAct } from './keys.ts'
import { undoLast } from './undo.ts'
import type { Mail } from './use-mail.ts'

const MOVE_KEYS: Partial<Record<KeyAct, MoveTarget>> = {
  archive: 'archive',
  trash: 'trash',
  spam: 'spam',
  inbox: 'inbox',
}
const ANSWERS = { reply: 'reply', 'reply-all': 'reply_all', forward: 'forward' } as const

/** Does what a key means. False: it means nothing now. */
export function actOfKey(act: KeyAct, mail: Mail, composer: Composer, help: () => void): boolean {
  const target = MOVE_KEYS[act]
  if (target) return withTargets(mail, (threads) => mail.move(threads, target))
  switch (act) {
    case 'next':
    case 'previous': {
      const next = mail.step(mail.cursor, act === 'next' ? 1 : -1)
      // With a thread open, one reads on.
      if (next && mail.words.thread && next !== mail.words.thread) mail.open(next)
      return next !== null
    }
    case 'open':
      if (!mail.cursor || mail.words.thread) return false
      mail.open(mail.cursor)
      return true
    case 'back':
      return goBack(mail)
    case 'pick':
      if (!mail.cursor) return false
      mail.select(mail.cursor, false)
      return true
    case 'pick-all':
      mail.selectAll()
      return true
    case 'read':
    case 'unread':
      return withTargets(mail, (threads) => mail.mark(threads, act === 'read'))
    case 'labels':
    case 'assign':
      return openMenu(mail, act)
    case 'undo':
      undoLast()
      return true
    case 'write':
      composer.write()
      return true
    case 'reply':
    case 'reply-all':
    case 'forward': {
      const threadId = mail.words.thread ?? mail.cursor
      if (!threadId) return false
      if (!mail.words.thread) mail.open(threadId)
      composer.answer({ kind: ANSWERS[act], threadId })
      return true
    }
    case 'help':
      help()
      return true
    default:
      return false
  }
}

function withTargets(mail: Mail, run: (threads: ReturnType<Mail['targets']>) => void): boolean {
  const threads = mail.targets()
  if (threads.length > 0) run(threads)
  return threads.length > 0
}

/** First out of the selection, then out of the thread. */
function goBack(mail: Mail): boolean {
  if (mail.isBrowsing) mail.setBrowsing(false)
  else if (mail.selected.length > 0) mail.clearSelection()
  else if (mail.words.thread) mail.close()
  else return false
  return true
}

/** The menu hangs on a button: on that of the opened thread, or above the list, for which the row is chosen first. */
function openMenu(mail: Mail, name: 'labels' | 'assign'): boolean {
  if (mail.selected.length === 0 && mail.opened) mail.setMenu({ where: 'thread', name })
  else {
    if (mail.selected.length === 0 && mail.cursor) mail.select(mail.cursor, false)
    if (mail.selected.length === 0 && !mail.cursor) return false
    mail.setMenu({ where: 'list', name })
  }
  return true
}
