import type { ReactNode } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import type { Mail } from './use-mail.ts'
import './list-head.css'
import { texts } from './texts.ts'

interface ListHeadProps {
  readonly title: string
  /** Left out for drafts, which are no threads. */
  readonly mail?: Mail
  /** For those that are chosen, in the place of the title: nothing moves. */
  readonly toolbar?: ReactNode
}

export function ListHead({ title, mail, toolbar }: ListHeadProps) {
  const count = mail?.selected.length ?? 0
  const all = mail?.list.threads.length ?? 0
  return (
    <header className="list-head">
      {mail && (
        <input
          type="checkbox"
          aria-label={count > 0 ? texts.list.selectNone : texts.list.selectAll}
          checked={count > 0 && count === all}
          disabled={all === 0}
          ref={(box) => {
            if (box) box.indeterminate = count > 0 && count < all
          }}
          onChange={count > 0 ? mail.clearSelection : mail.selectAll}
        />
      )}
      <h1 className={count > 0 ? 'hidden' : ''}>{title}</h1>
      {count > 0 && mail ? (
        <>
          <span className="picked-count">{count}</span>
          {toolbar}
          <IconButton icon="close" label={texts.list.selectNone} onClick={mail.clearSelection} />
        </>
      ) : (
        mail &&
        !mail.words.q && (
          <Button
            look="quiet"
            className="only-unread"
            aria-pressed={mail.words.read === 'false'}
            onClick={mail.toggleUnread}
          >
            {texts.list.onlyUnread}
          </Button>
        )
      )}
    </header>
  )
}
