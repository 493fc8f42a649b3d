import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Icon } from './icons.tsx'

/** Who writes searches as they write, and not for every letter. */
const PAUSE_MS = 250

interface SearchFieldProps {
  readonly label: string
  readonly placeholder: string
  /** What is searched for, by the address. */
  readonly value: string
  /** Whether a text is to be searched for only when somebody says so. */
  readonly waitsForEnter: (text: string) => boolean
  /** Returns what the value will be: terms leave the field. */
  readonly onSearch: (text: string) => string
}

/** Searches while somebody writes. What they write on meanwhile stays; what comes from elsewhere, from Back for instance, fills the field. */
export function SearchField({ label, placeholder, value, waitsForEnter, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const submitted = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(onSearch)
  latest.current = onSearch
  useEffect(() => {
    if (value === submitted.current) return
    submitted.current = value
    clearTimeout(timer.current)
    setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])

  const search = (wanted: string) => {
    clearTimeout(timer.current)
    if (wanted === submitted.current) return
    submitted.current = latest.current(wanted)
    if (waitsForEnter(wanted)) setText(submitted.current)
  }
  const write = (typed: string) => {
    setText(typed)
    clearTimeout(timer.current)
    if (!waitsForEnter(typed)) timer.current = setTimeout(() => search(typed.trim()), PAUSE_MS)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search(text.trim())
  }
  return (
    <form className="search-field" onSubmit={submit}>
      <Icon name="search" />
      <input
        data-filter
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && text === '' && event.currentTarget.blur()}
      />
      <span className="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </form>
  )
}
