import type { Item } from '../../api.ts'

export type MessageRow = Item<'messages.list'>

/** Whose mail it is, and what can be done with it there. */
export interface MessageScope {
  /** Of this sandbox; undefined: of the team. */
  readonly sandbox?: string
  /** In inbox mode and in sandboxes: mail that was really sent stays. */
  readonly canDelete: boolean
  /** The server that mail can be released to. Null: none is set; undefined: none leaves from here. */
  readonly relay?: string | null
}
