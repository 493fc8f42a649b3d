import { type MouseEvent, memo } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Avatar } from './avatar.tsx'
import { movesFrom } from './folders.ts'
import { LabelChip } from './label-chip.tsx'
import { personOf, shortName } from './people.ts'
import { MOVES } from './sidebar-folders.ts'
import type { ThreadRow as Thread } from './thread-rows.ts'
import { ShortTime } from './when.tsx'
import './thread-row.css'
import { texts } from './texts.ts'

export const ROW_HEIGHT = 76
const SHOWN_LABELS = 2

export interface RowActs {
  readonly open: (thread: Thread) => void
  readonly select: (thread: Thread, isRange: boolean) => void
  readonly move: (thread: Thread, to: 'archive' | 'trash' | 'inbox') => void
  readonly mark: (thread: Thread, read: boolean) => void
}

interface ThreadRowProps {
  readonly thread: Thread
  readonly index: number
  /** Of all rows, or -1 while nobody knows. */
  readonly count: number
  readonly href: string
  /** Of the inbox: a thread that it began shows whom it is for. */
  readonly ownAddress: string
  readonly isOpen: boolean
  readonly isSelected: boolean
  /** The one that the keys are about. */
  readonly isCursor: boolean
  /** By Tab, which is to lead past the list and not through it. */
  readonly isReachable: boolean
  readonly now: Date
  readonly acts: RowActs
}

export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { thread, index, count, href, ownAddress, isOpen, isSelected, isCursor, isReachable, now, acts } = props
  const { prefix, shown, others, names } = peopleOf(thread, ownAddress)
  const subject = thread.subject || texts.row.noSubject
  const tabIndex = isReachable ? 0 : -1
  const open = (event: MouseEvent) => {
    // A new tab is the browser's business.
    if (event.metaKey || event.ctrlKey || event.button !== 0) return
    event.preventDefault()
    if (event.shiftKey) acts.select(thread, true)
    else acts.open(thread)
  }
  const state = [
    thread.read ? '' : 'unread',
    isSelected ? 'picked' : '',
    isOpen ? 'open' : '',
    isCursor ? 'cursor' : '',
  ].join(' ')
  return (
    <li
      className={`thread-row ${state}`}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
      aria-posinset={index + 1}
      aria-setsize={count}
      data-thread={thread.id}
    >
      <label className="select">
        <input
          type="checkbox"
          checked={isSelected}
          tabIndex={tabIndex}
          aria-label={texts.row.select(subject)}
          onChange={() => {}}
          onClick={(event) => acts.select(thread, event.shiftKey)}
        />
        <Avatar of={shown} />
      </label>
      <a className="thread-link" href={href} tabIndex={tabIndex} aria-current={isOpen || undefined} onClick={open}>
        <span className="who">
          <span className="names" title={names}>
            {!thread.read && <span className="hidden">{texts.row.unread} </span>}
            {prefix && <span className="muted">{prefix} </span>}
            {shortName(shown)}
            {others}
          </span>
          {thread.email_count > 1 && <span className="emails">{thread.email_count}</span>}
          {thread.has_draft && <span className="has-draft">{texts.row.draft}</span>}
          {thread.has_attachment && (
            <span className="has-file" title={texts.row.attachment}>
              <Icon name="clip" size={13} />
              <span className="hidden">{texts.row.attachment}</span>
            </span>
          )}
          <ShortTime at={thread.received_at} now={now} />
        </span>
        <span className="subject">{subject}</span>
        <span className="rest">
          <span className="snippet">{thread.matched_text ? <Found text={thread.matched_text} /> : thread.snippet}</span>
          <Tags thread={thread} />
        </span>
      </a>
      <Quick thread={thread} acts={acts} />
    </li>
  )
})

function Tags({ thread: { labels, assignee_email } }: { thread: Thread }) {
  const more = labels.length - SHOWN_LABELS
  return (
    <>
      {labels.slice(0, SHOWN_LABELS).map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {more > 0 && (
        <span className="label-chip" title={labels.map(({ name }) => name).join(', ')}>
          +{more}
        </span>
      )}
      {assignee_email && (
        <span title={texts.row.assignedTo(assignee_email)}>
          <span className="hidden">{texts.row.assignedTo(assignee_email)}</span>
          <Avatar of={assignee_email} isSmall />
        </span>
      )}
    </>
  )
}

/** For the mouse alone: the keys do the same, and so do the buttons of an opened thread. */
function Quick({ thread, acts }: { thread: Thread; acts: RowActs }) {
  const first = movesFrom(thread.folder)[0] as 'archive' | 'inbox'
  return (
    <span className="quick">
      <IconButton
        icon={MOVES[first].icon}
        label={MOVES[first].label}
        tabIndex={-1}
        needs="inboxes.threads.update"
        onClick={() => acts.move(thread, first)}
      />
      {thread.folder !== 'trash' && (
        <IconButton
          icon="trash"
          label={texts.moves.trash}
          tabIndex={-1}
          needs="inboxes.threads.update"
          onClick={() => acts.move(thread, 'trash')}
        />
      )}
      <IconButton
        icon="mail"
        label={thread.read ? texts.threadActs.markAsUnread : texts.threadActs.markAsRead}
        tabIndex={-1}
        needs="inboxes.threads.update"
        onClick={() => acts.mark(thread, !thread.read)}
      />
    </span>
  )
}

/** Who wrote; of what was only sent, to whom. */
export function peopleOf({ from, to }: Pick<Thread, 'from' | 'to'>, ownAddress: string) {
  const isOwn = from === null || personOf(from).address.toLowerCase() === ownAddress.toLowerCase()
  const shown = isOwn ? (to[0] ?? from ?? '') : from
  const others = isOwn && to.length > 1 ? ` +${to.length - 1}` : ''
  return { prefix: isOwn ? texts.row.to : '', shown, others, names: isOwn ? to.join(', ') : from }
}

/** What was found is between two characters that no mail has. */
export function Found({ text }: { text: string }) {
  return text.split('\uE000').map((piece, at) => {
    const [match, rest] = at === 0 ? ['', piece] : (piece.split('\uE001', 2) as [string, string | undefined])
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text
      <span key={at}>
        {match && <mark>{match}</mark>}
        {rest}
      </span>
    )
  })
}
