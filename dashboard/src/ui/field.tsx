import { type ReactNode, useId } from 'react'
import './field.css'

interface FieldProps {
  readonly label: string
  readonly hint?: string
  /** What is wrong with what stands in it. */
  readonly problem?: string | undefined
  readonly children: (common: {
    readonly id: string
    readonly 'aria-describedby': string | undefined
    readonly 'aria-invalid'?: true
  }) => ReactNode
}

/** A label, what it is for, and a word of help that screen readers tell together with it. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const described = [...(problem ? [`${id}-problem`] : []), ...(hint ? [`${id}-hint`] : [])].join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined, ...(problem && { 'aria-invalid': true }) })}
      {problem && (
        <small id={`${id}-problem`} className="field-problem">
          {problem}
        </small>
      )}
      {hint && (
        <small id={`${id}-hint`} className="muted">
          {hint}
        </small>
      )}
    </div>
  )
}

interface InputProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}

/** For what is edited in place; forms that are sent as a whole are a SchemaForm. */
export const TextField = ({ label, hint, value, placeholder, onChange }: InputProps) => (
  <Field label={label} {...(hint && { hint })}>
    {(common) => (
      <input
        {...common}
        value={value}
        placeholder={placeholder}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

export const CodeField = ({ label, hint, value, onChange, rows = 18 }: InputProps & { readonly rows?: number }) => (
  <Field label={label} {...(hint && { hint })}>
    {(common) => (
      <textarea
        {...common}
        className="mono"
        rows={rows}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

interface ChoiceProps extends InputProps {
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** What no choice is called; left out when there has to be one. */
  readonly none?: string
}

export const ChoiceField = ({ label, hint, value, onChange, options, none }: ChoiceProps) => (
  <Field label={label} {...(hint && { hint })}>
    {(common) => (
      <select {...common} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** Texts that the browser offers in an input whose `list` this is. */
export const Offers = ({ id, offers }: { id: string; offers: readonly string[] }) => (
  <datalist id={id}>
    {offers.map((offer) => (
      <option key={offer} value={offer} />
    ))}
  </datalist>
)
