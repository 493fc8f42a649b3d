import { texts } from '../texts.ts'
import type { StepFormProps } from './form.ts'
import { OfferedField } from './offered-field.tsx'

const USUAL = ['30 minutes', '1 hour', '1 day', '3 days', '1 week', '2 weeks']

interface DurationFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export const DurationField = ({ label, value, onChange }: DurationFieldProps) => (
  <OfferedField label={label} hint={texts.delay.hint} offers={USUAL} value={value} onChange={onChange} />
)

export const DelayForm = ({ step, onChange }: StepFormProps<'delay'>) => (
  <DurationField
    label={texts.delay.label}
    value={step.config.duration}
    onChange={(duration) => onChange({ duration })}
  />
)
