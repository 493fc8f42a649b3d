import { useId } from 'react'
import { Field, Offers } from '../../../ui/field.tsx'

interface OfferedFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly offers: readonly string[]
  readonly placeholder?: string
  readonly onChange: (value: string) => void
}

/** A text for which some are offered; any other can be written. */
export function OfferedField({ label, hint, ...input }: OfferedFieldProps) {
  return (
    <Field label={label} {...(hint && { hint })}>
      {(common) => <OfferedInput {...common} {...input} />}
    </Field>
  )
}

interface OfferedInputProps extends Omit<OfferedFieldProps, 'label' | 'hint'> {
  readonly id?: string
  readonly 'aria-label'?: string
  readonly 'aria-describedby'?: string | undefined
}

export function OfferedInput({ offers, onChange, ...input }: OfferedInputProps) {
  const list = useId()
  return (
    <>
      <input
        {...input}
        list={list}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Offers id={list} offers={offers} />
    </>
  )
}
