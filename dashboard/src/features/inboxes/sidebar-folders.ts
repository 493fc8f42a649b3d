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
  { name: 'inbox', label: texts.folders.inbox, icon: 'inbox' },
  { name: 'drafts', label: texts.folders.drafts, icon: 'pen' },
  { name: 'sent', label: texts.folders.sent, icon: 'send' },
  { name: 'archive', label: texts.folders.archive, icon: 'archive' },
  { name: 'spam', label: texts.folders.spam, icon: 'block' },
  { name: 'trash', label: texts.folders.trash, icon: 'trash' },
]

export const sidebarFolderNamed = (word: string | undefined): SidebarFolder =>
  SIDEBAR_FOLDERS.find(({ name }) => name === word)?.name ?? 'inbox'

export const labelOfFolder = (folder: string) => SIDEBAR_FOLDERS.find(({ name }) => name === folder)?.label ?? folder

/** What was done, in one word, and what to call it before. */
export const MOVES: Readonly<
  Record<MoveTarget, { readonly done: string; readonly label: string; readonly icon: IconName }>
> = {
  inbox: { done: texts.moves.movedToInbox, label: texts.moves.inbox, icon: 'inbox' },
  archive: { done: texts.moves.archived, label: texts.moves.archive, icon: 'archive' },
  spam: { done: texts.moves.markedAsSpam, label: texts.moves.spam, icon: 'block' },
  trash: { done: texts.moves.movedToTrash, label: texts.moves.trash, icon: 'trash' },
}
