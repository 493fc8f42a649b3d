import { type FormEvent, lazy, Suspense, useState } from 'react'
import { Button } from './button.tsx'
import { Chip } from './chip.tsx'
import {
  type ActiveFilter,
  type ChoiceField,
  type Filters,
  fieldValue,
  type PeriodField,
  periodOf,
  type TextField,
  withField,
  withoutAll,
  withPeriod,
} from './filter-values.ts'
import { dayOf, PRESETS } from './period.ts'
import type { Words } from './search-params.ts'
import { texts } from './texts.ts'

/** A calendar is fetched when somebody wants days of their own. */
const DateRange = lazy(() => import('./date-range.tsx').then((module) => ({ default: module.DateRange })))

export interface PanelProps {
  readonly filters: Filters
  readonly words: Words
  readonly active: readonly ActiveFilter[]
  readonly onChange: (changes: Words) => void
}

/** All fields that a list can be filtered by. A choice counts at once, a text when it is written. */
export function FilterPanel({ filters, words, active, onChange }: PanelProps) {
  return (
    <>
      {filters.fields.map((field) =>
        field.kind === 'period' ? (
          <PeriodFilter key={field.label} {...{ filters, words, field, onChange }} />
        ) : (
          <FieldFilter
            key={field.label}
            field={field}
            value={fieldValue(filters, words, field)}
            onChange={(value) => onChange(withField(filters, words, field, value))}
          />
        ),
      )}
      {active.length > 0 && (
        <div className="filter-panel-foot">
          <ul className="panel-chips" aria-label={texts.filters.active}>
            {active.map(({ label, without }) => (
              <li key={label}>
                <Chip text={label} onRemove={() => onChange(without)} />
              </li>
            ))}
          </ul>
          <Button look="quiet" onClick={() => onChange(withoutAll(filters))}>
            {texts.filters.clearAll}
          </Button>
        </div>
      )}
    </>
  )
}

interface FieldFilterProps {
  readonly field: ChoiceField | TextField
  readonly value: string
  readonly onChange: (value: string) => void
}

function FieldFilter({ field, value, onChange }: FieldFilterProps) {
  if (field.kind === 'choice')
    return (
      <label className="filter-field">
        <span>{field.label}</span>
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{field.none}</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      </label>
    )
  const submit = (text: string) => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return (
    <form
      // What comes from elsewhere, from a chip for instance, fills it anew.
      key={value}
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault()
        submit(String(new FormData(event.currentTarget).get('value')))
      }}
    >
      <label className="filter-field">
        <span>{field.label}</span>
        <input
          name="value"
          placeholder={field.placeholder}
          defaultValue={value}
          autoComplete="off"
          onBlur={(event) => submit(event.currentTarget.value)}
        />
      </label>
    </form>
  )
}

interface PeriodFilterProps extends Omit<PanelProps, 'active'> {
  readonly field: PeriodField
}

function PeriodFilter({ filters, words, field, onChange }: PeriodFilterProps) {
  const period = periodOf(filters, words, field)
  const isPreset = PRESETS.some(({ value }) => value === period.created_after)
  const isCustom = !isPreset && Boolean(period.created_after || period.created_before)
  const [isCalendar, setCalendar] = useState(isCustom)
  return (
    <fieldset className="filter-period">
      <legend>{field.label}</legend>
      <div className="filter-presets">
        {PRESETS.map(({ value, label }) => (
          <Button
            key={value}
            aria-pressed={period.created_after === value && !period.created_before}
            onClick={() => {
              setCalendar(false)
              onChange(withPeriod(filters, words, field, { created_after: value }))
            }}
          >
            {label}
          </Button>
        ))}
        <Button aria-pressed={isCustom} aria-expanded={isCalendar} onClick={() => setCalendar(!isCalendar)}>
          {texts.filters.customRange}
        </Button>
      </div>
      {isCalendar && (
        <Suspense>
          <DateRange
            from={isPreset ? undefined : period.created_after}
            to={period.created_before}
            onChange={(from, to) =>
              onChange(
                withPeriod(filters, words, field, {
                  created_after: from && dayOf(from),
                  created_before: to && dayOf(to),
                }),
              )
            }
          />
        </Suspense>
      )}
    </fieldset>
  )
}
