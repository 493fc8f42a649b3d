import type { IconName } from '../../ui/icons.tsx'
import type { Folder, MoveTarget } from './folders.ts'

/** What the left pane leads to. Drafts are no threads, and so no folder of the API. */
export type SidebarFolder = Folder | 'drafts'

export const SIDEBAR_FOLDERS: readonly {
  readonly name: SidebarFolder
  readonly label: string
  readonly icon: IconName
}[] = [
  { name: 'inbox', label: 'Inbox', icon: 'inbox' },
  { name: 'drafts', label: 'Drafts', icon: 'pen' },
  { name: 'sent', label: 'Sent', icon: 'send' },
  { name: 'archive', label: 'Archive', icon: 'archive' },
  { name: 'spam', label: 'Spam', icon: 'block' },
  { name: 'trash', label: 'Trash', icon: 'trash' },
]

export const sidebarFolderNamed = (word: string | undefined): SidebarFolder =>
  SIDEBAR_FOLDERS.find(({ name }) => name === word)?.name ?? 'inbox'

export const labelOfFolder = (folder: string) => SIDEBAR_FOLDERS.find(({ name }) => name === folder)?.label ?? folder

/** What was done, in one word, and what to call it before. */
export const MOVES: Readonly<
  Record<MoveTarget, { readonly done: string; readonly label: string; readonly icon: IconName }>
> = {
  inbox: { done: 'Moved to inbox', label: 'Move to inbox', icon: 'inbox' },
  archive: { done: 'Archived', label: 'Archive', icon: 'archive' },
  spam: { done: 'Marked as spam', label: 'Spam', icon: 'block' },
  trash: { done: 'Moved to trash', label: 'Trash', icon: 'trash' },
}
