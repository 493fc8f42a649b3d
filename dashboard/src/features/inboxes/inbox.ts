import type { Reply } from '../../api.ts'
import { EVERYWHERE_BUT_JUNK, type Folder } from './folders.ts'
import { askFor, readSearch } from './search-query.ts'
import { labelOfFolder, sidebarFolderNamed } from './sidebar-folders.ts'
import { texts } from './texts.ts'
import type { ThreadQuery } from './threads-list.ts'

/** The inbox whose mail is shown. */
export type OpenedInbox = Reply<'inboxes.get'>

/** The words in the address: which list, and what is open beside it. */
export interface MailWords {
  readonly folder?: string | undefined
  readonly label?: string | undefined
  readonly q?: string | undefined
  /** `false`: only what is unread. */
  readonly read?: string | undefined
  readonly thread?: string | undefined
}

interface KnownLabel {
  readonly id: string
  readonly name: string
}

/** What an address asks for. */
export interface AskedList {
  readonly title: string
  readonly query: ThreadQuery
  /** Labels that the search names and the inbox has not: nothing can be found. */
  readonly unknownLabels: readonly string[]
}

export function listOf(inbox: string, words: MailWords, labels: readonly KnownLabel[]): AskedList {
  if (words.q) {
    const { input, filter, unknownLabels } = askFor(readSearch(words.q), labels)
    return { title: texts.search.title, query: { inbox, list: 'inboxes.threads.search', input, filter }, unknownLabels }
  }
  const sidebarFolder = sidebarFolderNamed(words.folder)
  const folders: readonly Folder[] = words.label
    ? EVERYWHERE_BUT_JUNK
    : [sidebarFolder === 'drafts' ? 'inbox' : sidebarFolder]
  const title = words.label
    ? (labels.find(({ id }) => id === words.label)?.name ?? texts.search.labelTitle)
    : labelOfFolder(sidebarFolder)
  const input = {
    folders: folders.join(),
    ...(words.label && { labels: words.label }),
    ...(words.read === 'false' && { read: 'false' as const }),
  }
  const filter = { folders, labels: words.label ? [words.label] : [] }
  return { title, query: { inbox, list: 'inboxes.threads.list', input, filter }, unknownLabels: [] }
}
