import type { FormEvent } from 'react'
import { LAST_EVENTS } from '../../../../src/mail/last-event.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'

export interface EmailFilter {
  readonly status?: string | undefined
  readonly to?: string | undefined
  readonly tag?: string | undefined
  /** Days: `2026-11-15`. */
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

const FIELDS = ['status', 'to', 'tag', 'created_after', 'created_before'] as const

interface FiltersProps {
  readonly filter: EmailFilter
  readonly onChange: (filter: EmailFilter) => void
}

/** The filter is in the address, so that it can be kept and passed on. */
export function Filters({ filter, onChange }: FiltersProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = FIELDS.map((name) => [name, String(form.get(name) ?? '').trim()] as const)
    onChange(Object.fromEntries(given.filter(([, value]) => value !== '')))
  }
  const isEmpty = FIELDS.every((name) => filter[name] === undefined)
  return (
    <search>
      {/* Another filter from elsewhere, a link for instance, fills the fields anew. */}
      <form className="filters" key={JSON.stringify(filter)} onSubmit={submit}>
        <select
          name="status"
          aria-label="Status"
          defaultValue={filter.status ?? ''}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
        >
          <option value="">Any status</option>
          {LAST_EVENTS.map((event) => (
            <option key={event} value={event}>
              {inWords(event)}
            </option>
          ))}
        </select>
        <input name="to" data-filter aria-label="Recipient" placeholder="Recipient, or part" defaultValue={filter.to} />
        <input name="tag" aria-label="Tag" placeholder="Tag, or name:value" defaultValue={filter.tag} />
        <input name="created_after" type="date" aria-label="From day" defaultValue={filter.created_after} />
        <input name="created_before" type="date" aria-label="To day" defaultValue={filter.created_before} />
        <Button type="submit">Filter</Button>
        {!isEmpty && (
          <Button look="quiet" onClick={() => onChange({})}>
            Clear
          </Button>
        )}
      </form>
    </search>
  )
}
