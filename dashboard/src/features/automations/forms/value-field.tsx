import { useState } from 'react'
import type { Scalar, Variable } from '../../../../../src/features/automations/engine/graph.ts'
import { Field } from '../../../ui/field.tsx'
import { isVariable } from '../sentences.ts'
import { OfferedInput } from './offered-field.tsx'
import './value-field.css'
import { texts } from '../texts.ts'

export type ValueType = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'list'
type Value = Scalar | null | Variable | object

interface ValueFieldProps {
  readonly label: string
  readonly type: ValueType
  /** Undefined: not set. */
  readonly value: Value | undefined
  /** The name of the option for not set. */
  readonly none: string
  readonly mayBeEmptied?: boolean
  readonly offers: readonly string[]
  readonly onChange: (value: Value | undefined) => void
}

type Kind = 'none' | 'fixed' | 'variable' | 'empty'

/** A value that is written down, or taken from a variable when the step runs. */
export function ValueField({ label, type, value, none, mayBeEmptied = false, offers, onChange }: ValueFieldProps) {
  const kind = kindOf(value)
  const choose = (next: string) => {
    if (next === 'fixed') onChange(type === 'boolean' ? true : '')
    else if (next === 'variable') onChange({ var: '' })
    else onChange(next === 'empty' ? null : undefined)
  }
  return (
    <Field label={label}>
      {(common) => (
        <span className="value-field">
          <select {...common} value={kind} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="none">{none}</option>
            <option value="fixed">{texts.valueField.fixed}</option>
            <option value="variable">{texts.valueField.variable}</option>
            {mayBeEmptied && <option value="empty">{texts.valueField.clear}</option>}
          </select>
          {kind === 'variable' && (
            <OfferedInput
              aria-label={texts.valueField.variableFor(label)}
              placeholder={texts.valueField.variablePlaceholder}
              offers={offers}
              value={(value as Variable).var}
              onChange={(name) => onChange({ var: name })}
            />
          )}
          {kind === 'fixed' && (
            <FixedInput
              label={texts.valueField.valueOf(label)}
              type={type}
              value={value as Scalar | object}
              onChange={onChange}
            />
          )}
        </span>
      )}
    </Field>
  )
}

function kindOf(value: Value | undefined): Kind {
  if (value === undefined) return 'none'
  if (value === null) return 'empty'
  return isVariable(value) ? 'variable' : 'fixed'
}

interface FixedInputProps {
  readonly label: string
  readonly type: ValueType
  readonly value: Scalar | object
  readonly onChange: (value: Scalar | object) => void
}

export function FixedInput({ label, type, value, onChange }: FixedInputProps) {
  // As it is typed: `1.` and `{"a": 1}` are not what is written for the values that they mean.
  const [text, setText] = useState(typeof value === 'object' ? JSON.stringify(value) : String(value))
  if (type === 'boolean')
    return (
      <select
        aria-label={label}
        value={String(value)}
        onChange={(event) => onChange(event.currentTarget.value === 'true')}
      >
        <option value="true">{texts.valueField.true}</option>
        <option value="false">{texts.valueField.false}</option>
      </select>
    )
  return (
    <input
      aria-label={label}
      value={text}
      inputMode={type === 'number' ? 'decimal' : undefined}
      placeholder={type === 'object' ? '{"name": "Ada"}' : type === 'list' ? '["one", "two"]' : undefined}
      onChange={(event) => {
        setText(event.currentTarget.value)
        onChange(typed(event.currentTarget.value, type))
      }}
    />
  )
}

/** What was typed, as what it is meant to be. What is not (yet) that is kept as text, and the server says what it should be. */
function typed(text: string, type: ValueType): Scalar | object {
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (type !== 'object' && type !== 'list') return text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : text
  } catch {
    return text
  }
}
