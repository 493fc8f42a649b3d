import { useState } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { texts } from '../texts.ts'
import type { Offer } from '../variables.ts'

const CUSTOM = '\0custom'

const GROUPS = [
  { label: texts.field.groups.contact, beginning: 'contact.' },
  { label: texts.field.groups.event, beginning: 'event.' },
  { label: texts.field.groups.awaitedEvents, beginning: 'wait_events.' },
] as const

interface FieldChoiceProps {
  readonly value: string
  readonly offers: readonly Offer[]
  readonly onChange: (field: string) => void
}

/** A field that a rule asks about: one of those that are known, or another one that is typed. */
export function FieldChoice({ value, offers, onChange }: FieldChoiceProps) {
  const [isCustom, setCustom] = useState(false)
  const isKnown = value === '' || offers.some(({ name }) => name === value)
  if (isCustom || !isKnown)
    return (
      <span className="field-choice">
        <input
          aria-label={texts.field.label}
          placeholder={texts.field.placeholder}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        <IconButton
          icon="list"
          label={texts.field.chooseFromList}
          onClick={() => {
            setCustom(false)
            onChange('')
          }}
        />
      </span>
    )
  return (
    <select
      aria-label={texts.field.label}
      value={value}
      onChange={({ currentTarget }) =>
        currentTarget.value === CUSTOM ? setCustom(true) : onChange(currentTarget.value)
      }
    >
      <option value="">{texts.field.choose}</option>
      {GROUPS.map(({ label, beginning }) => {
        const own = offers.filter(({ name }) => name.startsWith(beginning))
        return own.length === 0 ? null : (
          <optgroup key={label} label={label}>
            {own.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </optgroup>
        )
      })}
      <option value={CUSTOM}>{texts.field.other}</option>
    </select>
  )
}
