import { LAST_EVENTS } from '../../../../src/mail/last-event.ts'
import { inWords } from '../../ui/badge.tsx'
import { DayFields, type Filter, FilterForm } from '../../ui/filter-form.tsx'

const FIELDS = ['status', 'to', 'tag', 'created_after', 'created_before'] as const

export type EmailFilter = Filter<(typeof FIELDS)[number]>

interface FiltersProps {
  readonly filter: EmailFilter
  readonly onChange: (filter: EmailFilter) => void
}

export const Filters = ({ filter, onChange }: FiltersProps) => (
  <FilterForm fields={FIELDS} filter={filter} onChange={onChange}>
    <select
      name="status"
      aria-label="Status"
      defaultValue={filter.status ?? ''}
      onChange={(event) => event.currentTarget.form?.requestSubmit()}
    >
      <option value="">All statuses</option>
      {LAST_EVENTS.map((event) => (
        <option key={event} value={event}>
          {inWords(event)}
        </option>
      ))}
    </select>
    <input name="to" data-filter aria-label="Recipient" placeholder="Recipient contains" defaultValue={filter.to} />
    <input name="tag" aria-label="Tag" placeholder="Tag or name:value" defaultValue={filter.tag} />
    <DayFields filter={filter} />
  </FilterForm>
)
