import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyIcon } from '../../ui/copy.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { OpenedInbox } from './inbox.ts'
import type { Mail } from './use-mail.ts'
import './list-state.css'

interface ListStateProps {
  readonly inbox: OpenedInbox
  readonly mail: Mail
  readonly firstMail: ReactNode
}

/** In the place of rows: what is wrong, what is coming, or what to do so that something comes. */
export function ListState({ inbox, mail, firstMail }: ListStateProps) {
  const { words, sidebarFolder, asked, list } = mail
  if (asked.unknownLabels.length > 0)
    return <State title={`No label “${asked.unknownLabels[0]}”`}>Labels are listed on the left.</State>
  if (list.state.isError) return <Failed error={list.state.error} onRetry={() => list.state.refetch()} />
  if (list.state.isPending) return <Loading />
  if (words.q)
    return (
      <State title="No results">
        A result contains all words. To search spam and trash, add <code>folder:anywhere</code>.
        <Button onClick={() => mail.search('')}>Clear search</Button>
      </State>
    )
  if (words.read === 'false') return <State title="No unread threads">All threads are read.</State>
  if (words.label) return <State title="No threads with this label">Open a thread and press l to add it.</State>
  switch (sidebarFolder) {
    case 'inbox':
      return inbox.last_received === null ? (
        <FirstMail inbox={inbox}>{firstMail}</FirstMail>
      ) : (
        <State title="Inbox empty">New email appears here automatically.</State>
      )
    case 'sent':
      return <State title="No sent email yet">Reply to a thread, or press c to compose.</State>
    case 'archive':
      return <State title="Archive empty">Press e to archive a thread.</State>
    case 'spam':
      return <State title="No spam">Press ! to mark a thread as spam. Later email of the thread stays here.</State>
    default:
      return <State title="Trash empty">Threads in the trash are deleted after 30 days.</State>
  }
}

const State = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="list-state">
    <h2>{title}</h2>
    <p className="muted">{children}</p>
  </div>
)

function FirstMail({ inbox, children }: { inbox: OpenedInbox; children: ReactNode }) {
  return (
    <div className="list-state">
      <Empty icon="inbox" title="No email yet">
        <p className="muted">Email to this address appears here automatically:</p>
        <p>
          <code>{inbox.email_address}</code> <CopyIcon text={inbox.email_address} what="address" />
        </p>
        {inbox.receiving_address && (
          <>
            <p className="muted">Configure your mail server to forward it to:</p>
            <p>
              <code>{inbox.receiving_address}</code>{' '}
              <CopyIcon text={inbox.receiving_address} what="forwarding address" />
            </p>
          </>
        )}
        {children}
      </Empty>
    </div>
  )
}
