import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCall } from '../../queries.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { useComposer } from './compose/composer.tsx'
import type { OpenedInbox } from './inbox.ts'
import type { InboxMeta } from './inbox-meta.ts'
import { LabelDot } from './label-chip.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { SIDEBAR_FOLDERS, type SidebarFolder } from './sidebar-folders.ts'
import { useUnread } from './unread.ts'
import './mailboxes-pane.css'
import { texts } from './texts.ts'

/** Otherwise the folder without a word in the address would be the current one in all of them. */
const AS_IT_IS = { exact: true, includeSearch: true }

interface MailboxesPaneProps {
  readonly inbox: OpenedInbox
  readonly meta: InboxMeta
  /** What is shown: a folder, or a label by its id. Neither while something is searched for. */
  readonly sidebarFolder: SidebarFolder | null
  readonly label: string | undefined
  readonly onChoose: () => void
}

/** Mailboxes, and of the one that is open its folders and labels. */
export function MailboxesPane({ inbox, meta, sidebarFolder, label, onChoose }: MailboxesPaneProps) {
  const { data: inboxes } = useCall('inboxes.list', { limit: 100 })
  const unreadOf = useUnread()
  const composer = useComposer()
  const [isManaging, setManaging] = useState(false)
  const others = (inboxes?.data ?? []).filter(({ id }) => id !== inbox.id)
  const counts: Partial<Record<SidebarFolder, number>> = {
    inbox: unreadOf(inbox.id, inbox.unread),
    drafts: inbox.drafts,
  }
  return (
    <nav
      className="mailboxes"
      aria-label={texts.panes.mailboxes}
      onClickCapture={(event) => isLink(event.target) && onChoose()}
    >
      <header className="mailboxes-head">
        <Button look="primary" icon="pen" needs="inboxes.drafts.create" onClick={() => composer.write()}>
          {texts.panes.compose}
        </Button>
        <IconButton className="to-list" icon="close" label={texts.panes.backToList} onClick={onChoose} />
      </header>
      <div className="mailboxes-scroll">
        <header className="mailbox-name">
          <strong title={inbox.name}>{inbox.name}</strong>
          <small className="muted" title={inbox.email_address}>
            {inbox.email_address}
          </small>
        </header>
        <ul aria-label={texts.panes.folders}>
          {SIDEBAR_FOLDERS.map(({ name, label: title, icon }) => (
            <li key={name}>
              <Link
                to="/inboxes/$inbox"
                params={{ inbox: inbox.id }}
                search={name === 'inbox' ? {} : { folder: name }}
                activeOptions={AS_IT_IS}
                aria-current={sidebarFolder === name && label === undefined ? 'page' : undefined}
              >
                <Icon name={icon} />
                <span>{title}</span>
                <Count count={counts[name] ?? 0} folder={name === 'inbox' ? null : title} />
              </Link>
            </li>
          ))}
        </ul>
        <h2>
          {texts.panes.labels}
          <IconButton
            icon="gear"
            label={texts.panes.editLabels}
            needs="inboxes.labels.create"
            onClick={() => setManaging(true)}
          />
        </h2>
        <ul aria-label={texts.panes.labels}>
          {meta.labels.map(({ id, name, color }) => (
            <li key={id}>
              <Link
                to="/inboxes/$inbox"
                params={{ inbox: inbox.id }}
                search={{ label: id }}
                activeOptions={AS_IT_IS}
                aria-current={label === id ? 'page' : undefined}
              >
                <LabelDot color={color} />
                <span>{name}</span>
              </Link>
            </li>
          ))}
          {meta.isReady && meta.labels.length === 0 && <li className="muted none">{texts.panes.noLabels}</li>}
        </ul>
        {others.length > 0 && (
          <>
            <h2>{texts.panes.otherInboxes}</h2>
            <ul aria-label={texts.panes.otherInboxes}>
              {others.map(({ id, name, email_address, unread }) => (
                <li key={id}>
                  <Link to="/inboxes/$inbox" params={{ inbox: id }} search={{}} title={email_address}>
                    <Icon name="mail" />
                    <span>{name || email_address}</span>
                    <Count count={unreadOf(id, unread)} folder={null} />
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <ul className="mailboxes-foot">
        <li>
          <Link to="/inboxes/$inbox/agent" params={{ inbox: inbox.id }}>
            <Icon name="bolt" />
            <span>{texts.panes.agent}</span>
          </Link>
        </li>
        <li>
          <Link to="/inboxes" activeOptions={{ exact: true }}>
            <Icon name="gear" />
            <span>{texts.panes.allInboxes}</span>
          </Link>
        </li>
      </ul>
      <LabelsDialog inbox={inbox.id} isOpen={isManaging} onClose={() => setManaging(false)} />
    </nav>
  )
}

const isLink = (target: EventTarget) => (target as HTMLElement).closest('a') !== null

/** Of the inbox unread threads are counted, of other folders all. */
const Count = ({ count, folder }: { count: number; folder: string | null }) =>
  count > 0 && (
    <span className="mailbox-count">
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="hidden">
        {folder === null ? texts.panes.unreadIn(count) : texts.panes.countIn(formatNumber(count), folder)}
      </span>
    </span>
  )
