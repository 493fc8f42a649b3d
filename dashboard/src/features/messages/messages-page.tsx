import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'
import type { MessageScope } from './message-scope.ts'
import { Messages } from './messages.tsx'
import { texts } from './texts.ts'

interface MessagesPageProps {
  readonly scope: MessageScope
  readonly firstMail: ReactNode
  readonly timelineOf: (id: string) => ReactNode
  readonly traceOf?: (id: string) => ReactNode
  readonly linkTo: (message: { id: string; direction: 'sent' | 'received' }) => ReactNode
}

/** Everything that a team has sent and received, to be searched and thrown away. */
export const MessagesPage = (props: MessagesPageProps) => (
  <Page title={texts.page.title}>
    <Messages {...props} />
  </Page>
)
