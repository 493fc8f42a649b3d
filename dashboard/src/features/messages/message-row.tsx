import { Link } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Time } from '../../ui/time.tsx'
import type { MessageRow as Row } from './message-scope.ts'
import './message-row.css'
import { texts } from './texts.ts'

interface MessageRowProps {
  readonly row: Row
  readonly isOpen: boolean
  readonly isSelected: boolean
  /** In a sandbox it is another time than here. */
  readonly isExact: boolean
  readonly onSelect: (id: string, isRange: boolean) => void
}

export function MessageRow({ row, isOpen, isSelected, isExact, onSelect }: MessageRowProps) {
  const { id, direction, subject, snippet, status, is_read, labels, attachments, created_at } = row
  const classes = ['message-row', is_read ? '' : 'unread', isOpen ? 'open' : '', isSelected ? 'picked' : '']
  const title = subject || texts.row.noSubject
  return (
    <li className={classes.join(' ')} data-message={id}>
      <input
        type="checkbox"
        aria-label={texts.row.select(title)}
        checked={isSelected}
        onChange={() => {}}
        onClick={(event) => onSelect(id, event.shiftKey)}
      />
      <Link
        className="row-link"
        to="."
        search={(old) => ({ ...old, message: id })}
        {...(isOpen && { 'aria-current': true })}
      >
        <span className="who">
          <Icon name={direction === 'sent' ? 'send' : 'inbox'} />
          <span className="hidden">{direction === 'sent' ? texts.row.sentTo : texts.row.receivedFrom} </span>
          <span>{whoIn(row)}</span>
          {!is_read && <span className="hidden"> {texts.row.unread}</span>}
        </span>
        <span className="what">
          <span className="subject">{title}</span> <span className="snippet">{snippet}</span>
        </span>
      </Link>
      <span className="marks">
        {labels.slice(0, 3).map((label) => (
          <span className="message-label" key={label}>
            {label}
          </span>
        ))}
        {attachments > 0 && (
          <span title={texts.row.attachments(attachments)}>
            <Icon name="clip" />
          </span>
        )}
        {status && <Badge word={status} />}
      </span>
      <Time at={created_at} exact={isExact} />
    </li>
  )
}

function whoIn({ direction, from, to, cc, bcc }: Row): string {
  if (direction === 'received') return from || texts.row.noSender
  const everybody = [...to, ...cc, ...bcc]
  return everybody.length > 1 ? `${everybody[0]} +${everybody.length - 1}` : (everybody[0] ?? texts.row.noRecipient)
}
