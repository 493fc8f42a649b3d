import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'
import { absorb, lastPiece, type Offer, offersFor } from './search-offers.ts'
import { readSearch, type Search, type Term, writeSearch, writeTerm } from './search-query.ts'
import './search-box.css'
import { texts } from './texts.ts'

/** Who writes searches as they write, and not for every letter. */
const PAUSE_MS = 300

interface SearchBoxProps {
  /** As the address has it. */
  readonly value: string
  readonly onSearch: (text: string) => void
  readonly labels: readonly { readonly name: string }[]
  readonly people: readonly string[]
  readonly label?: string
}

/** Words in an input, and terms like `from:anna` in chips before it. */
export function SearchBox({ value, onSearch, labels, people, label = texts.search.label }: SearchBoxProps) {
  const [search, setSearch] = useState<Search>(() => readSearch(value))
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const submitted = useRef(value)
  /** What was submitted and has not come back in the address yet. */
  const onItsWay = useRef<string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const listId = useId()

  // Somebody went back, or took a link: the box shows what is searched for. What it has submitted itself comes back later, one after the other.
  useEffect(() => {
    const index = onItsWay.current.indexOf(value)
    onItsWay.current = index >= 0 ? onItsWay.current.slice(index + 1) : []
    if (index >= 0 || value === submitted.current) return
    submitted.current = value
    setSearch(readSearch(value))
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const tell = (next: Search) => {
    clearTimeout(timer.current)
    const text = writeSearch(next)
    if (text === submitted.current) return
    submitted.current = text
    onItsWay.current.push(text)
    onSearch(text)
  }
  const become = (next: Search, isSoon = false) => {
    setSearch(next)
    setChosen(-1)
    clearTimeout(timer.current)
    if (isSoon) timer.current = setTimeout(() => tell(next), PAUSE_MS)
    else tell(next)
  }
  const write = (typed: string) => {
    const { terms, text } = absorb(typed)
    setOpen(true)
    become({ terms: [...search.terms, ...terms], text }, terms.length === 0)
  }
  const finish = () => {
    const { terms, text } = readSearch(search.text)
    setOpen(false)
    become({ terms: [...search.terms, ...terms], text })
  }
  const take = ({ text, isBegun }: Offer) => {
    const whole = `${lastPiece(search.text).before}${text}`
    if (isBegun) setSearch({ ...search, text: whole })
    else become({ ...absorbed(search, `${whole} `) })
    setChosen(-1)
    input.current?.focus()
  }
  const drop = (term: Term) => {
    become({ ...search, terms: search.terms.filter((one) => one !== term) })
    input.current?.focus()
  }
  const clear = () => {
    become({ terms: [], text: '' })
    setOpen(false)
  }

  const offers = isOpen ? offersFor(search.text, { labels, people, today: new Date() }) : []
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = search.terms.at(-1)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setOpen(true)
      setChosen(Math.max(-1, Math.min(offers.length - 1, chosen + step)))
    } else if (event.key === 'Enter') {
      const offer = offers[chosen]
      if (offer) take(offer)
      else finish()
    } else if (event.key === 'Escape') {
      if (offers.length > 0) setOpen(false)
      else if (search.terms.length > 0 || search.text) clear()
      else event.currentTarget.blur()
    } else if (event.key === 'Backspace' && last && event.currentTarget.selectionEnd === 0) {
      // The last chip becomes text again, to be corrected.
      event.preventDefault()
      become({ terms: search.terms.slice(0, -1), text: `${writeTerm(last)}${search.text && ` ${search.text}`}` }, true)
    }
  }

  return (
    <search
      className="search-box"
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || setOpen(false)}
    >
      <Icon name="search" />
      <span className="search-line">
        {search.terms.map((term) => (
          <Chip key={writeTerm(term)} text={writeTerm(term)} onRemove={() => drop(term)}>
            <span className="muted">{`${term.isExcluded ? '-' : ''}${term.name}:`}</span> {term.value}
          </Chip>
        ))}
        <input
          ref={input}
          data-filter
          role="combobox"
          aria-label={label}
          aria-expanded={offers.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          {...(offers[chosen] && { 'aria-activedescendant': `${listId}-${chosen}` })}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="search"
          placeholder={search.terms.length === 0 ? label : ''}
          value={search.text}
          onChange={(event) => write(event.currentTarget.value)}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onKeyDown={press}
        />
      </span>
      {(search.terms.length > 0 || search.text) && (
        <IconButton icon="close" label={texts.search.clear} onClick={clear} />
      )}
      <div
        className="search-offers"
        id={listId}
        role="listbox"
        aria-label={texts.search.suggestions}
        hidden={offers.length === 0}
      >
        {offers.map((offer, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus, and its keys choose
          <div
            key={offer.text}
            id={`${listId}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(offer)}
          >
            <span>{offer.text}</span>
            <small className="muted">{offer.hint}</small>
          </div>
        ))}
      </div>
    </search>
  )
}

function absorbed(search: Search, typed: string): Search {
  const { terms, text } = absorb(typed)
  return { terms: [...search.terms, ...terms], text }
}
