import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { texts } from '../texts.ts'
import { filterOffers } from '../variables.ts'
import { DurationField } from './duration-field.tsx'
import { present, type StepFormProps } from './form.ts'
import { OfferedField } from './offered-field.tsx'
import { FIRST_RULE, RuleFields } from './rule-fields.tsx'

export const TriggerForm = ({ step, resources, onChange }: StepFormProps<'trigger'>) => (
  <OfferedField
    label={texts.eventForm.event.label}
    hint={texts.eventForm.event.hint}
    offers={resources.events}
    value={step.config.event_name}
    onChange={(event_name) => onChange({ event_name })}
  />
)

export function WaitForm({ step, resources, onChange }: StepFormProps<'wait_for_event'>) {
  const { event_name, timeout, filter_rule } = step.config
  const change = (part: object) => onChange(present({ ...step.config, ...part }))
  // Taken up again when the box is ticked again.
  const [lastTimeout, setLastTimeout] = useState(timeout || '3 days')
  return (
    <>
      <OfferedField
        label={texts.eventForm.event.label}
        hint={texts.eventForm.event.hint}
        offers={resources.events}
        value={event_name}
        onChange={(name) => change({ event_name: name })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={timeout !== undefined}
          onChange={(event) => change({ timeout: event.currentTarget.checked ? lastTimeout : undefined })}
        />
        <span>
          {texts.eventForm.setTimeout}
          <small className="muted">{texts.eventForm.setTimeoutHint}</small>
        </span>
      </label>
      {timeout !== undefined && (
        <DurationField
          label={texts.eventForm.timeout}
          value={timeout}
          onChange={(text) => {
            setLastTimeout(text)
            change({ timeout: text })
          }}
        />
      )}
      {filter_rule ? (
        <Field label={texts.eventForm.filter}>
          {({ id }) => (
            <div id={id} className="form">
              <RuleFields
                rule={filter_rule}
                offers={filterOffers(resources, event_name)}
                onChange={(rule) => change({ filter_rule: rule })}
                onRemove={() => change({ filter_rule: undefined })}
              />
            </div>
          )}
        </Field>
      ) : (
        <div className="actions">
          <Button
            icon="plus"
            onClick={() => change({ filter_rule: { type: 'and', rules: [{ ...FIRST_RULE, field: 'event.' }] } })}
          >
            {texts.eventForm.addFilter}
          </Button>
        </div>
      )}
    </>
  )
}
