import type { StepFormProps } from './form.ts'
import { OfferedField } from './offered-field.tsx'

const USUAL = ['30 minutes', '1 hour', '1 day', '3 days', '1 week', '2 weeks']

interface DurationFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export const DurationField = ({ label, value, onChange }: DurationFieldProps) => (
  <OfferedField
    label={label}
    hint="Example: 3 days, or 1 hour 30 minutes. Maximum: 30 days."
    offers={USUAL}
    value={value}
    onChange={onChange}
  />
)

export const DelayForm = ({ step, onChange }: StepFormProps<'delay'>) => (
  <DurationField label="Delay" value={step.config.duration} onChange={(duration) => onChange({ duration })} />
)
