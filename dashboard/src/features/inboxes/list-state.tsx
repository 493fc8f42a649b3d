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
  const { words, shelf, asked, list } = mail
  if (asked.unknownLabels.length > 0)
    return <State title={`There is no label “${asked.unknownLabels[0]}”`}>Labels are in the pane on the left.</State>
  if (list.state.isError) return <Failed error={list.state.error} onRetry={() => list.state.refetch()} />
  if (list.state.isPending) return <Loading />
  if (words.q)
    return (
      <State title="Nothing was found">
        All words have to be there. Spam and trash are searched with <code>folder:anywhere</code>.
        <Button onClick={() => mail.search('')}>Clear the search</Button>
      </State>
    )
  if (words.read === 'false') return <State title="Nothing is unread">All of it has been read.</State>
  if (words.label) return <State title="No thread has this label">Open one and press l to set it.</State>
  switch (shelf) {
    case 'inbox':
      return inbox.last_received === null ? (
        <FirstMail inbox={inbox}>{firstMail}</FirstMail>
      ) : (
        <State title="All done">Nothing is left in the inbox. New mail appears here by itself.</State>
      )
    case 'sent':
      return <State title="Nothing was sent yet">Answer a thread, or write an email with c.</State>
    case 'archive':
      return <State title="Nothing is archived">What is done and kept goes here with e.</State>
    case 'spam':
      return <State title="No spam">What you mark with ! goes here, and further mail of the thread stays here.</State>
    default:
      return <State title="The trash is empty">What is in it is gone after 30 days.</State>
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
      <Empty icon="inbox" title="No mail yet">
        <p className="muted">Mail for this address appears here by itself:</p>
        <p>
          <code>{inbox.email_address}</code> <CopyIcon text={inbox.email_address} what="the address" />
        </p>
        {inbox.receiving_address && (
          <>
            <p className="muted">Let your mail server forward it to:</p>
            <p>
              <code>{inbox.receiving_address}</code>{' '}
              <CopyIcon text={inbox.receiving_address} what="the forwarding address" />
            </p>
          </>
        )}
        {children}
      </Empty>
    </div>
  )
}
