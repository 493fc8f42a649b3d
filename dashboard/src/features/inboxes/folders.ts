import type { Folder, Place } from '../../../../src/features/inboxes/threads/schema.ts'
import type { ThreadRow } from './thread-rows.ts'

export type { Folder, Place }

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

/** What can be done with threads that are there. */
export const movesFrom = (folder: Folder): readonly Place[] =>
  folder === 'inbox' || folder === 'sent'
    ? ['archive', 'spam', 'trash']
    : folder === 'archive'
      ? ['inbox', 'spam', 'trash']
      : folder === 'spam'
        ? ['inbox', 'trash']
        : ['inbox', 'archive']
