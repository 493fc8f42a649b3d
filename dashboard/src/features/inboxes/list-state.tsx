import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyIcon } from '../../ui/copy.tsx'
import { rich } from '../../ui/rich.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import type { OpenedInbox } from './inbox.ts'
import type { Mail } from './use-mail.ts'
import './list-state.css'
import { texts } from './texts.ts'

interface ListStateProps {
  readonly inbox: OpenedInbox
  readonly mail: Mail
  readonly firstMail: ReactNode
}

/** In the place of rows: what is wrong, what is coming, or what to do so that something comes. */
export function ListState({ inbox, mail, firstMail }: ListStateProps) {
  const { words, sidebarFolder, asked, list } = mail
  if (asked.unknownLabels.length > 0)
    return <State title={texts.empty.unknownLabel(asked.unknownLabels[0] ?? '')}>{texts.empty.unknownLabelNote}</State>
  if (list.state.isError) return <Failed error={list.state.error} onRetry={() => list.state.refetch()} />
  if (list.state.isPending) return <Loading />
  if (words.q)
    return (
      <State title={texts.empty.results}>
        {rich(texts.empty.resultsNote, { term: <code>folder:anywhere</code> })}
        <Button onClick={() => mail.search('')}>{texts.search.clear}</Button>
      </State>
    )
  if (words.read === 'false') return <State title={texts.empty.unread}>{texts.empty.unreadNote}</State>
  if (words.label) return <State title={texts.empty.label}>{texts.empty.labelNote}</State>
  switch (sidebarFolder) {
    case 'inbox':
      return inbox.last_received === null ? (
        <FirstMail inbox={inbox}>{firstMail}</FirstMail>
      ) : (
        <State title={texts.empty.inbox}>{texts.empty.inboxNote}</State>
      )
    case 'sent':
      return <State title={texts.empty.sent}>{texts.empty.sentNote}</State>
    case 'archive':
      return <State title={texts.empty.archive}>{texts.empty.archiveNote}</State>
    case 'spam':
      return <State title={texts.empty.spam}>{texts.empty.spamNote}</State>
    default:
      return <State title={texts.empty.trash}>{texts.empty.trashNote}</State>
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
      <Empty icon="inbox" title={texts.empty.firstMail}>
        <p className="muted">{texts.empty.firstMailNote}</p>
        <p>
          <code>{inbox.email_address}</code> <CopyIcon text={inbox.email_address} what={texts.copied.address} />
        </p>
        {inbox.receiving_address && (
          <>
            <p className="muted">{texts.empty.firstMailForwarding}</p>
            <p>
              <code>{inbox.receiving_address}</code>{' '}
              <CopyIcon text={inbox.receiving_address} what={texts.copied.forwardingAddress} />
            </p>
          </>
        )}
        {children}
      </Empty>
    </div>
  )
}
