import { type FormEvent, type ReactNode, useState } from 'react'
import type { TObject } from 'typebox'
import { inWords } from './badge.tsx'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { asValue, constraintsOf, rulesOf } from './schema-field.ts'

export interface FormField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly isLong?: boolean
  /** Instead of what the schema allows: names of things that exist. */
  readonly options?: readonly { readonly value: string; readonly label: string }[]
  readonly placeholder?: string
}

interface SchemaFormProps {
  readonly shape: TObject
  readonly fields: readonly FormField[]
  readonly initial?: Readonly<Record<string, unknown>>
  readonly act: string
  readonly onSubmit: (values: Record<string, unknown>) => Promise<unknown>
  readonly children?: ReactNode
}

/** A form made from the schema that the server validates with: what is required, how long, which words, which characters. */
export function SchemaForm({ shape, fields, initial = {}, act, onSubmit, children }: SchemaFormProps) {
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const values = Object.fromEntries(
      fields
        .map(({ name }) => [name, asValue(rulesOf(shape, name), String(form.get(name) ?? ''))] as const)
        .filter(([, value]) => value !== undefined),
    )
    setBusy(true)
    setError(null)
    await onSubmit(values).catch((reason: Error) => setError(reason.message))
    setBusy(false)
  }
  return (
    <form className="form" onSubmit={submit}>
      {fields.map((field) => (
        <SchemaField key={field.name} shape={shape} field={field} initial={initial[field.name]} />
      ))}
      {children}
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {act}
        </Button>
      </div>
    </form>
  )
}

function SchemaField({ shape, field, initial }: { shape: TObject; field: FormField; initial: unknown }) {
  const rules = rulesOf(shape, field.name)
  const { schema, isRequired } = rules
  const start = initial ?? schema.default ?? ''
  const options = field.options ?? schema.enum?.map((value) => ({ value, label: inWords(value) }))
  if (schema.type === 'boolean')
    return (
      <label className="check">
        <input type="checkbox" name={field.name} value="true" defaultChecked={start === true} />
        <span>
          {field.label}
          {field.hint && <small className="muted">{field.hint}</small>}
        </span>
      </label>
    )
  const common = { name: field.name, defaultValue: String(start) }
  return (
    <Field label={field.label} {...(field.hint && { hint: field.hint })}>
      {(labelled) =>
        options ? (
          <select {...labelled} {...common} required={isRequired}>
            {!isRequired && schema.default === undefined && <option value="">–</option>}
            {options.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        ) : field.isLong ? (
          <textarea {...labelled} {...common} required={isRequired} rows={4} maxLength={schema.maxLength} />
        ) : (
          <input {...labelled} {...common} {...constraintsOf(rules)} placeholder={field.placeholder} />
        )
      }
    </Field>
  )
}
