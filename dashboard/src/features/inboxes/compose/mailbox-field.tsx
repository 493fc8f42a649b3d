import { type ClipboardEvent, type KeyboardEvent, useId, useState } from 'react'
import { Icon } from '../../../ui/icons.tsx'
import { texts as shared } from '../../../ui/texts.ts'
import { addressIn, isMailbox, mailboxKey, nameIn, splitMailboxes, withoutRepeated } from './mailboxes.ts'
import { useSuggestions } from './suggestions.ts'
import './mailbox-field.css'
import { texts } from '../texts.ts'

interface MailboxFieldProps {
  readonly label: string
  readonly inbox: string
  readonly value: readonly string[]
  readonly isFocused?: boolean
  readonly onChange: (mailboxes: readonly string[]) => void
}

/** People as chips, with those offered that the inbox knows. What is no address stays, and says so. */
export function MailboxField({ label, inbox, value, isFocused = false, onChange }: MailboxFieldProps) {
  const id = useId()
  const [text, setText] = useState('')
  /** By arrow keys; until then the first one is offered. */
  const [chosen, setChosen] = useState<number | null>(null)
  const [isOpen, setOpen] = useState(false)
  const offers = useSuggestions(inbox, text, value)
  const isOffering = isOpen && offers.length > 0
  const active = isOffering ? Math.min(chosen ?? 0, offers.length - 1) : -1
  const offered = offers[active]

  const add = (mailboxes: readonly string[]) => {
    const added = withoutRepeated(mailboxes, value)
    if (added.length > 0) onChange([...value, ...added])
    setText('')
    setOpen(false)
    setChosen(null)
  }
  const take = (mailbox: string) => onChange(value.filter((one) => one !== mailbox))
  const commit = () => add(splitMailboxes(text))
  const change = (written: string) => {
    // Whoever writes a comma is done with this one.
    if (/[,;]\s*$/.test(written) && splitMailboxes(written).every(isMailbox)) return add(splitMailboxes(written))
    setText(written)
    setOpen(true)
    setChosen(null)
  }
  const paste = (event: ClipboardEvent) => {
    const pasted = splitMailboxes(event.clipboardData.getData('text/plain'))
    if (text !== '' || pasted.length === 0 || !pasted.every(isMailbox)) return
    event.preventDefault()
    add(pasted)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && text === '' && value.length > 0) return take(value.at(-1)!)
    if (event.key === 'Escape') {
      if (!isOffering && text === '') return
      event.stopPropagation()
      return isOffering ? setOpen(false) : setText('')
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (offers.length === 0) return
      event.preventDefault()
      const isDown = event.key === 'ArrowDown'
      if (event.altKey) return setOpen(isDown)
      setOpen(true)
      const next = isOffering ? active + (isDown ? 1 : -1) : isDown ? 0 : -1
      return setChosen((next + offers.length) % offers.length)
    }
    const isEnter = event.key === 'Enter' && !event.ctrlKey && !event.metaKey
    if (!isEnter && event.key !== 'Tab') return
    if (text.trim() === '') return
    if (isEnter) event.preventDefault()
    add(offered && (chosen !== null || !isMailbox(text)) ? [offered] : splitMailboxes(text))
  }
  return (
    <div className="mailbox-field">
      <label htmlFor={id}>{label}</label>
      <ul aria-label={label}>
        {value.map((mailbox) => (
          <Chip key={mailboxKey(mailbox)} mailbox={mailbox} onTake={() => take(mailbox)} />
        ))}
        <li className="mailbox-input">
          <input
            id={id}
            value={text}
            // biome-ignore lint/a11y/noAutofocus: whoever begins a new email writes to somebody first
            autoFocus={isFocused}
            autoComplete="off"
            spellCheck={false}
            role="combobox"
            aria-expanded={isOffering}
            aria-controls={`${id}-offers`}
            aria-autocomplete="list"
            aria-activedescendant={isOffering ? `${id}-${active}` : undefined}
            onChange={(event) => change(event.currentTarget.value)}
            onKeyDown={press}
            onPaste={paste}
            onBlur={commit}
          />
          <div
            className="offers"
            id={`${id}-offers`}
            role="listbox"
            aria-label={texts.mailboxField.suggestions(label)}
            hidden={!isOffering}
          >
            {isOffering &&
              offers.map((offer, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus, and its keys choose
                // biome-ignore lint/a11y/useFocusableInteractive: as above
                <div
                  key={mailboxKey(offer)}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  // Before the field loses the focus and takes what is written in it.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => add([offer])}
                >
                  <span>{nameIn(offer)}</span> <span className="muted">{addressIn(offer)}</span>
                </div>
              ))}
          </div>
          <span className="hidden" role="status">
            {isOffering && shared.suggestions(offers.length)}
          </span>
        </li>
      </ul>
    </div>
  )
}

function Chip({ mailbox, onTake }: { mailbox: string; onTake: () => void }) {
  const isRight = isMailbox(mailbox)
  return (
    <li
      className={isRight ? 'mailbox-chip' : 'mailbox-chip wrong'}
      title={isRight ? mailbox : texts.mailboxField.invalid}
    >
      <span>{isRight ? nameIn(mailbox) : mailbox}</span>
      {!isRight && <span className="hidden">{texts.mailboxField.invalidLabel}</span>}
      <button type="button" aria-label={texts.mailboxField.remove(addressIn(mailbox))} onClick={onTake}>
        <Icon name="close" size={12} />
      </button>
    </li>
  )
}
