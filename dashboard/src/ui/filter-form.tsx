import type { FormEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { useFormOfAddress } from './form-of-address.ts'

/** What lists are filtered by, by the names of the fields. */
export type Filter<Field extends string> = { readonly [Each in Field]?: string | undefined }

interface FilterFormProps<Field extends string> {
  readonly fields: readonly Field[]
  readonly filter: Filter<Field>
  readonly onChange: (filter: Filter<Field>) => void
  readonly className?: string
  readonly children: ReactNode
}

/** The filter is in the address, so that it can be kept and passed on. */
export function FilterForm<Field extends string>(props: FilterFormProps<Field>) {
  const { fields, filter, onChange, className = '', children } = props
  const textOf = (some: Filter<Field>) => JSON.stringify(fields.map((name) => some[name] ?? ''))
  const { key, isSent } = useFormOfAddress(textOf(filter))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const given = fields.map((name) => [name, String(form.get(name) ?? '').trim()] as const)
    const next = Object.fromEntries(given.filter(([, value]) => value !== '')) as Filter<Field>
    isSent(textOf(next))
    onChange(next)
  }
  const isEmpty = fields.every((name) => filter[name] === undefined)
  return (
    <search>
      <form className={`filters ${className}`} key={key} onSubmit={submit}>
        {children}
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

/** From one day to another, both of them included: `2026-11-15`. */
export const DayFields = ({ filter }: { readonly filter: Filter<'created_after' | 'created_before'> }) => (
  <>
    <input name="created_after" type="date" aria-label="From day" defaultValue={filter.created_after} />
    <input name="created_before" type="date" aria-label="To day" defaultValue={filter.created_before} />
  </>
)
