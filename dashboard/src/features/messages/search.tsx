import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icons.tsx'
import { chipOf, type Filter, isEmpty, readFilter, TERMS, type TermName } from './filter.ts'
import './search.css'

/** Who writes searches as they write, and not for every letter. */
const PAUSE_MS = 300

const CHOICES = [
  ['is_read', 'false', 'Unread'],
  ['direction', 'sent', 'Sent'],
  ['direction', 'received', 'Received'],
] as const

interface SearchProps {
  readonly filter: Filter
  readonly onNarrow: (changes: Filter) => void
}

/** Words in a field, common filters as buttons, and all others in chips. */
export function Search({ filter, onNarrow }: SearchProps) {
  const isChoice = (name: TermName, value: string) => CHOICES.some(([one, of]) => one === name && of === value)
  const chips = TERMS.flatMap((name) => {
    const value = filter[name]
    return value && !isChoice(name, value) ? [[name, value] as const] : []
  })
  return (
    <search className="message-search">
      <SearchField value={filter.q ?? ''} onNarrow={onNarrow} />
      {CHOICES.map(([name, value, label]) => {
        const isOn = filter[name] === value
        return (
          <Button key={label} aria-pressed={isOn} onClick={() => onNarrow({ [name]: isOn ? undefined : value })}>
            {label}
          </Button>
        )
      })}
      {chips.map(([name, value]) => (
        <Chip key={name} text={chipOf(name, value)} onRemove={() => onNarrow({ [name]: undefined })} />
      ))}
      {!isEmpty(filter) && (
        <Button
          look="quiet"
          onClick={() => onNarrow(Object.fromEntries(['q', ...TERMS].map((name) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </search>
  )
}

function SearchField({ value, onNarrow }: { value: string; onNarrow: (changes: Filter) => void }) {
  const [text, setText] = useState(value)
  const submitted = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  // Somebody went back, or took a link: the field shows what is searched for.
  useEffect(() => {
    if (value === submitted.current) return
    submitted.current = value
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const search = (words: string) => {
    clearTimeout(timer.current)
    if (words === submitted.current) return
    submitted.current = words
    onNarrow({ q: words || undefined })
  }
  const write = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    // A term is begun letter by letter, and meant as a whole: it waits for Enter.
    if (!/\b[a-z]+:/i.test(typed)) timer.current = setTimeout(() => search(typed.trim()), PAUSE_MS)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { q = '', ...terms } = readFilter(text)
    if (Object.keys(terms).length === 0) return search(q)
    clearTimeout(timer.current)
    submitted.current = q
    setText(q)
    onNarrow({ ...terms, q: q || undefined })
  }
  return (
    <form className="message-query" onSubmit={submit}>
      <Icon name="search" />
      <input
        data-filter
        aria-label="Search mail"
        placeholder="Search, or to:ada@example.com"
        title="Words, or from: to: subject: text: tag: is:unread, and Enter"
        value={text}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </form>
  )
}
