import { useEffect, useState } from 'react'
import { Field } from '../ui/field.tsx'
import { texts } from './texts.ts'

interface ControlProps<Value> {
  readonly label: string
  readonly value: Value
  readonly onChange: (value: Value) => void
}

const HEX = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i

/** What the browser's own picker takes: six digits. */
const forPicker = (value: string) => {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value)
  if (short) return `#${short[1]}${short[1]}${short[2]}${short[2]}${short[3]}${short[3]}`
  return HEX.test(value) ? value.slice(0, 7) : '#000000'
}

export function ColorControl({ label, value, onChange }: ControlProps<string>) {
  const [typed, setTyped] = useTyped(value)
  const type = (text: string) => {
    setTyped(text)
    if (text === '' || HEX.test(text)) onChange(text)
  }
  return (
    <Field label={label}>
      {(common) => (
        <span className="color-control">
          <input
            type="color"
            aria-label={texts.style.pickColor(label)}
            value={forPicker(value)}
            onChange={(event) => type(event.currentTarget.value)}
          />
          <input
            {...common}
            value={typed}
            placeholder={texts.style.noColor}
            spellCheck={false}
            onChange={(event) => type(event.currentTarget.value.trim())}
          />
        </span>
      )}
    </Field>
  )
}

interface NumberControlProps extends ControlProps<number | ''> {
  readonly unit?: string
}

export function NumberControl({ label, value, unit = 'px', onChange }: NumberControlProps) {
  return (
    <Field label={label}>
      {(common) => (
        <span className="number-control">
          <input
            {...common}
            type="number"
            min={0}
            value={value}
            placeholder={texts.style.automatic}
            onChange={(event) => onChange(event.currentTarget.value === '' ? '' : Number(event.currentTarget.value))}
          />
          <span aria-hidden="true">{unit}</span>
        </span>
      )}
    </Field>
  )
}

/** A text that is taken over when it is typed, and stays as it is typed while it has the focus. */
export function TextControl({
  label,
  value,
  hint,
  placeholder,
  onChange,
}: ControlProps<string> & { readonly hint?: string; readonly placeholder?: string }) {
  const [typed, setTyped] = useTyped(value)
  return (
    <Field label={label} {...(hint && { hint })}>
      {(common) => (
        <input
          {...common}
          value={typed}
          placeholder={placeholder}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            onChange(event.currentTarget.value)
          }}
        />
      )}
    </Field>
  )
}

/** What was typed last, until another value comes from elsewhere. */
function useTyped(value: string) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  useEffect(() => {
    if (value !== known) {
      setKnown(value)
      if (value !== typed) setTyped(value)
    }
  }, [value, known, typed])
  return [typed, setTyped] as const
}

export const toNumber = (value: unknown): number | '' => {
  const number = Number.parseFloat(String(value ?? ''))
  return Number.isNaN(number) ? '' : number
}
