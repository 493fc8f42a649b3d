import type { Folder, Place } from '../../../../src/resources/inboxes/threads/schema.ts'
import type { IconName } from '../../ui/icons.tsx'
import type { ThreadRow } from './thread-rows.ts'

export type { Folder, Place }

/** What the left pane leads to. Drafts are no threads, and so no folder of the API. */
export type Shelf = Folder | 'drafts'

export const SHELVES: readonly { readonly name: Shelf; readonly label: string; readonly icon: IconName }[] = [
  { name: 'inbox', label: 'Inbox', icon: 'inbox' },
  { name: 'drafts', label: 'Drafts', icon: 'pen' },
  { name: 'sent', label: 'Sent', icon: 'send' },
  { name: 'archive', label: 'Archive', icon: 'archive' },
  { name: 'spam', label: 'Spam', icon: 'block' },
  { name: 'trash', label: 'Trash', icon: 'trash' },
]

export const shelfNamed = (word: string | undefined): Shelf =>
  SHELVES.find(({ name }) => name === word)?.name ?? 'inbox'

export const labelOfFolder = (folder: string) => SHELVES.find(({ name }) => name === folder)?.label ?? folder

/** Where a search and a label look unless somebody says otherwise. */
export const EVERYWHERE_BUT_JUNK: readonly Folder[] = ['inbox', 'archive', 'sent']

/** What a list is of. */
export interface ListFilter {
  readonly folders: readonly Folder[]
  readonly labels: readonly string[]
}

/** Whether a thread of a list is still one of it after a change. What was sent is among the sent until it is thrown away. */
export function belongs({ folder, labels }: Pick<ThreadRow, 'folder' | 'labels'>, filter: ListFilter): boolean {
  const isInFolder = filter.folders.some(
    (one) => one === folder || (one === 'sent' && folder !== 'spam' && folder !== 'trash'),
  )
  return isInFolder && (filter.labels.length === 0 || labels.some(({ id }) => filter.labels.includes(id)))
}

/** What it takes to bring a thread back to where it is now. */
export const placeOf = (folder: Folder): Place => (folder === 'sent' ? 'inbox' : folder)

/** What was done, in one word, and what to call it before. */
export const MOVES: Readonly<
  Record<Place, { readonly done: string; readonly label: string; readonly icon: IconName }>
> = {
  inbox: { done: 'Moved to the inbox', label: 'Move to inbox', icon: 'inbox' },
  archive: { done: 'Archived', label: 'Archive', icon: 'archive' },
  spam: { done: 'Marked as spam', label: 'Spam', icon: 'block' },
  trash: { done: 'Moved to the trash', label: 'Trash', icon: 'trash' },
}

/** What can be done with threads that are there. */
export const movesFrom = (folder: Folder): readonly Place[] =>
  folder === 'inbox' || folder === 'sent'
    ? ['archive', 'spam', 'trash']
    : folder === 'archive'
      ? ['inbox', 'spam', 'trash']
      : folder === 'spam'
        ? ['inbox', 'trash']
        : ['inbox', 'archive']
