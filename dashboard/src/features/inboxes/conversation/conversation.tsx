import type { ReactNode } from 'react'
import type { OpenInbox } from '../compose/composer.tsx'

interface ConversationProps {
  readonly inbox: OpenInbox
  readonly threadId: string
  /** Back to the list: on narrow screens, and when the thread is not there any more. */
  readonly onClose: () => void
  /** The email that a search has found: it is open, and scrolled to. */
  readonly matchedEmailId?: string | undefined
  /** Archive, trash, labels, assign…, at the head of the conversation. */
  readonly toolbar?: ReactNode
}

/** All emails of a thread with the answer that is being written. Fills its parent and scrolls by itself. Marks the thread as read. */
export const Conversation = (_props: ConversationProps) => null
