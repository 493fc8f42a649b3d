import { createContext, type ReactNode, useContext, useMemo, useState } from 'react'
import type { Item } from '../../../api.ts'

/** What is known of an inbox wherever its mail is shown. */
export type OpenInbox = Pick<Item<'inboxes.list'>, 'id' | 'email_address' | 'from_name'>

export type ReplyKind = 'reply' | 'reply_all' | 'forward'

/** What the conversation is asked to answer; without an email, its last one. */
export interface Answer {
  readonly kind: ReplyKind
  readonly threadId: string
  readonly emailId?: string | undefined
}

export interface Composer {
  /** A new email, in the window at the edge of the page. */
  readonly write: (to?: readonly string[]) => void
  /** A draft that is no reply, in the same window. Drafts of replies are opened with their thread. */
  readonly openDraft: (draftId: string) => void
  /** For the buttons and the keys `r`, `a` and `f`. The conversation that shows the thread opens its editor. */
  readonly answer: (answer: Answer) => void
  /** Taken by the conversation that is meant. */
  readonly asked: Answer | null
  readonly taken: () => void
}

const Context = createContext<Composer | null>(null)

/** Around all that shows the mail of an inbox: who is below it can write. Renders the window for new emails by itself. */
export function ComposerProvider({ inbox: _inbox, children }: { inbox: OpenInbox; children: ReactNode }) {
  const [asked, setAsked] = useState<Answer | null>(null)
  const composer = useMemo<Composer>(
    () => ({ write: () => {}, openDraft: () => {}, answer: setAsked, asked, taken: () => setAsked(null) }),
    [asked],
  )
  return <Context value={composer}>{children}</Context>
}

export function useComposer(): Composer {
  const composer = useContext(Context)
  if (!composer) throw new Error('useComposer is for what is inside of a ComposerProvider')
  return composer
}
