import type { OpenInbox } from './composer.tsx'

interface DraftsListProps {
  readonly inbox: OpenInbox
  /** A draft of a reply is shown with its thread. */
  readonly onOpenThread: (threadId: string) => void
}

/** The folder of drafts, in the place of the list of threads. */
export const DraftsList = (_props: DraftsListProps) => null
