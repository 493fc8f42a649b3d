import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'
import type { Mailroom } from './mailroom.ts'
import { Messages } from './messages.tsx'

interface MessagesPageProps {
  readonly room: Mailroom
  readonly firstMail: ReactNode
  readonly storyOf: (id: string) => ReactNode
  readonly linkTo: (message: { id: string; direction: 'sent' | 'received' }) => ReactNode
}

/** Everything that a team has sent and received, to be searched and thrown away. */
export const MessagesPage = (props: MessagesPageProps) => (
  <Page title="All mail">
    <Messages {...props} />
  </Page>
)
