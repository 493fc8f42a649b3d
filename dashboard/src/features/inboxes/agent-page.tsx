import { Link, useParams } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { AgentOfInbox } from './agent/agent-of-inbox.tsx'
import { texts } from './agent/texts.ts'

/** The agent of one inbox: its instructions and permissions, and what it did. */
export function AgentPage() {
  const { inbox: named } = useParams({ from: '/inboxes/$inbox/agent' })
  const inbox = useCall('inboxes.get', { inbox: named })
  if (inbox.isPending) return <Loading />
  if (inbox.isError) return <Failed error={inbox.error} onRetry={() => inbox.refetch()} />
  const { id, name } = inbox.data
  return (
    <Page
      title={texts.pageTitle(name)}
      actions={
        <Link className="button plain" to="/inboxes/$inbox" params={{ inbox: id }}>
          {texts.openInbox}
        </Link>
      }
    >
      <AgentOfInbox inbox={id} />
    </Page>
  )
}
