import { lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Chip } from './chip.tsx'
import { activeFilters, type Filters, hasTerm, searchText, withoutAll, withText } from './filter-values.ts'
import { formatNumber } from './locale.ts'
import { SearchField } from './search-field.tsx'
import { useSearchParams, type Word, type Words } from './search-params.ts'
import './filter-bar.css'
import { texts } from './texts.ts'

/** Fetched when somebody opens it. */
const FilterPopover = lazy(() => import('./filter-popover.tsx').then((module) => ({ default: module.FilterPopover })))

/** A choice that is common enough for a button of its own. */
export interface Toggle {
  readonly word: Word
  readonly value: string
  readonly label: string
}

export interface FilterBarProps extends Filters {
  readonly toggles?: readonly Toggle[]
  /** Changes the address; for pages that change more of it with the filter. */
  readonly onChange?: (changes: Words) => void
  /** What else is done with the list: Export. */
  readonly children?: ReactNode
}

/** What a list is searched and filtered by: one bar for all lists. What it is set to is in the address. */
export function FilterBar({ toggles = [], onChange, children, ...filters }: FilterBarProps) {
  const { words, choose } = useSearchParams()
  const change = onChange ?? choose
  const isToggle = (name: string, value: string | undefined) =>
    toggles.some((toggle) => toggle.word === name && toggle.value === value)
  const active = activeFilters(filters, words)
  // What a pressed button says need not be said by a chip.
  const chips = active.filter(
    ({ without }) => !Object.keys(without).some((name) => isToggle(name, words[name as Word])),
  )
  const { search } = filters
  const text = searchText(filters, words)
  return (
    <search className="filter-bar">
      {search && (
        <SearchField
          label={search.label}
          placeholder={search.placeholder ?? texts.filters.placeholders.search(search.label)}
          value={text}
          waitsForEnter={(typed) => hasTerm(filters, typed)}
          onSearch={(typed) => {
            const changes = withText(filters, words, typed)
            change(changes)
            return searchText(filters, { ...words, ...changes })
          }}
        />
      )}
      {toggles.map(({ word, value, label }) => (
        <Button
          key={label}
          className="filter-toggle"
          aria-pressed={words[word] === value}
          onClick={() => change({ [word]: words[word] === value ? undefined : value })}
        >
          {label}
        </Button>
      ))}
      {filters.fields.length > 0 && (
        <FilterButton count={active.length} {...(!search && { 'data-filter': true })}>
          {(button, close) => (
            <FilterPopover {...{ filters, words, active, button }} onChange={change} onClose={close} />
          )}
        </FilterButton>
      )}
      <ul className="filter-chips" aria-label={texts.filters.active} hidden={chips.length === 0}>
        {chips.map(({ label, without }) => (
          <li key={label}>
            <Chip text={label} onRemove={() => change(without)} />
          </li>
        ))}
      </ul>
      {(active.length > 0 || text !== '') && (
        <Button look="quiet" className="filter-clear" onClick={() => change(withoutAll(filters))}>
          {texts.filters.clearAll}
        </Button>
      )}
      {children && <div className="filter-aside">{children}</div>}
    </search>
  )
}

function FilterButton({ count, children, ...rest }: FilterButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        icon="filter"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        {...rest}
      >
        {texts.filters.title}
        {count > 0 && (
          <span className="filter-count">
            <span aria-hidden="true">{formatNumber(count)}</span>
            <span className="hidden">{texts.filters.count(count)}</span>
          </span>
        )}
      </Button>
      {isOpen && <Suspense>{children(button, () => setOpen(false))}</Suspense>}
    </>
  )
}

interface FilterButtonProps {
  readonly count: number
  readonly children: (button: RefObject<HTMLButtonElement | null>, close: () => void) => ReactNode
}
