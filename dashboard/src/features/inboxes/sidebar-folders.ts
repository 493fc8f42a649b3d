import type { IconName } from '../../ui/icons.tsx'
import type { Folder, MoveTarget } from './folders.ts'
import { texts } from './texts.ts'

/** What the left pane leads to. Drafts are no threads, and so no folder of the API. */
export type SidebarFolder = Folder | 'drafts'

export const SIDEBAR_FOLDERS: readonly {
  readonly name: SidebarFolder
  readonly label: string
  readonly icon: IconName
}[] = [
  { name: 'inbox', label: texts.inbox, icon: 'inbox' },
  { name: 'drafts', label: texts.drafts, icon: 'pen' },
  { name: 'sent', label: texts.sent, icon: 'send' },
  { name: 'archive', label: texts.archive, icon: 'archive' },
  { name: 'spam', label: texts.spam, icon: 'block' },
  { name: 'trash', label: texts.trash, icon: 'trash' },
]

export const sidebarFolderNamed = (word: string | undefined): SidebarFolder =>
  SIDEBAR_FOLDERS.find(({ name }) => name === word)?.name ?? 'inbox'

export const labelOfFolder = (folder: string) => SIDEBAR_FOLDERS.find(({ name }) => name === folder)?.label ?? folder

/** What was done, in one word, and what to call it before. */
export const MOVES: Readonly<
  Record<MoveTarget, { readonly done: string; readonly label: string; readonly icon: IconName }>
> = {
  inbox: { done: texts.movedInbox, label: texts.moveInbox, icon: 'inbox' },
  archive: { done: texts.archived, label: texts.archive, icon: 'archive' },
  spam: { done: texts.markedAsSpam, label: texts.spam, icon: 'block' },
  trash: { done: texts.movedTrash, label: texts.trash, icon: 'trash' },
}
