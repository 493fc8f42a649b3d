import type { FormEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { CHOICES } from './words.ts'

const FIELDS = ['actor_id', 'action', 'object_id', 'created_after', 'created_before'] as const

/** The dates are days: `2026-11-15`. */
export type AuditFilter = { readonly [Field in (typeof FIELDS)[number]]?: string | undefined }

interface FiltersProps {
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}

/** The filter is in the address, so that it can be kept and passed on. Who acted is chosen in the list. */
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
      <form className="filters" key={JSON.stringify(filter)} onSubmit={submit}>
        <select
          name="action"
          aria-label="What was done"
          data-filter
          defaultValue={filter.action ?? ''}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
        >
          <option value="">Anything</option>
          {CHOICES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <input name="object_id" aria-label="Id of what was changed" placeholder="Id" defaultValue={filter.object_id} />
        <input name="created_after" type="date" aria-label="From day" defaultValue={filter.created_after} />
        <input name="created_before" type="date" aria-label="To day" defaultValue={filter.created_before} />
        <input name="actor_id" type="hidden" defaultValue={filter.actor_id} />
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
