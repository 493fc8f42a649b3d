import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyIcon } from '../../ui/copy.tsx'
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
    return <State title={texts.noLabel(asked.unknownLabels[0] ?? '')}>{texts.labelsListedLeft}</State>
  if (list.state.isError) return <Failed error={list.state.error} onRetry={() => list.state.refetch()} />
  if (list.state.isPending) return <Loading />
  if (words.q)
    return (
      <State title={texts.noResults}>
        {texts.resultContainsAllWords}
        <code>{texts.folderAnywhere}</code>.<Button onClick={() => mail.search('')}>{texts.clearSearch}</Button>
      </State>
    )
  if (words.read === 'false') return <State title={texts.noUnreadThreads}>{texts.allThreadsRead}</State>
  if (words.label) return <State title={texts.noThreadsWithLabel}>{texts.openThreadPressL}</State>
  switch (sidebarFolder) {
    case 'inbox':
      return inbox.last_received === null ? (
        <FirstMail inbox={inbox}>{firstMail}</FirstMail>
      ) : (
        <State title={texts.inboxEmpty}>{texts.newEmailAppearsHere}</State>
      )
    case 'sent':
      return <State title={texts.noSentEmailYet}>{texts.replyThreadPressC}</State>
    case 'archive':
      return <State title={texts.archiveEmpty}>{texts.pressEArchiveThread}</State>
    case 'spam':
      return <State title={texts.noSpam}>{texts.pressMarkThreadAs}</State>
    default:
      return <State title={texts.trashEmpty}>{texts.threadsTrashDeletedAfter}</State>
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
      <Empty icon="inbox" title={texts.noEmailYet}>
        <p className="muted">{texts.emailAddressAppearsHere}</p>
        <p>
          <code>{inbox.email_address}</code> <CopyIcon text={inbox.email_address} what="address" />
        </p>
        {inbox.receiving_address && (
          <>
            <p className="muted">{texts.configureYourMailServer}</p>
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
