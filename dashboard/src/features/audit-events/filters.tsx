import { DayFields, type Filter, FilterForm } from '../../ui/filter-form.tsx'
import { CHOICES } from './actions.ts'
import './filters.css'

const FIELDS = ['actor_id', 'action', 'object_id', 'created_after', 'created_before'] as const

export type AuditFilter = Filter<(typeof FIELDS)[number]>

interface FiltersProps {
  readonly filter: AuditFilter
  readonly onChange: (filter: AuditFilter) => void
}

/** Who acted is chosen in the list. */
export const Filters = ({ filter, onChange }: FiltersProps) => (
  <FilterForm fields={FIELDS} filter={filter} onChange={onChange} className="audit-filters">
    <select
      name="action"
      aria-label="Action"
      data-filter
      defaultValue={filter.action ?? ''}
      onChange={(event) => event.currentTarget.form?.requestSubmit()}
    >
      <option value="">All actions</option>
      {CHOICES.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
    <input name="object_id" aria-label="Object ID" placeholder="Object ID" defaultValue={filter.object_id} />
    <DayFields filter={filter} />
    <input name="actor_id" type="hidden" defaultValue={filter.actor_id} />
  </FilterForm>
)
