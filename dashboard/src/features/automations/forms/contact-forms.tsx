import { ChoiceField } from '../../../ui/field.tsx'
import { texts } from '../texts.ts'
import { contactOffers } from '../variables.ts'
import { present, type StepFormProps } from './form.ts'
import { ValueField, type ValueType } from './value-field.tsx'

const FIELDS = [
  ['first_name', texts.contactForms.firstName, 'string'],
  ['last_name', texts.contactForms.lastName, 'string'],
  ['unsubscribed', texts.contactForms.unsubscribed, 'boolean'],
] as const

export function ContactUpdateForm({ step, graph, resources, onChange }: StepFormProps<'contact_update'>) {
  const { properties = {}, ...fields } = step.config
  const common = {
    none: texts.contactForms.unchanged,
    offers: contactOffers(graph, resources).map(({ name }) => name),
  }
  const keys = new Set([...Object.keys(resources.propertyTypes), ...Object.keys(properties)])
  const put = (part: object, nextProperties: object) =>
    onChange(
      present({
        ...fields,
        ...part,
        properties: Object.keys(nextProperties).length > 0 ? nextProperties : undefined,
      }) as typeof step.config,
    )
  return (
    <>
      {FIELDS.map(([name, label, type]) => (
        <ValueField
          key={name}
          {...common}
          label={label}
          type={type}
          mayBeEmptied={type === 'string'}
          value={fields[name]}
          onChange={(value) => put({ [name]: value }, properties)}
        />
      ))}
      {[...keys].map((key) => (
        <ValueField
          key={key}
          {...common}
          label={key}
          type={(resources.propertyTypes[key] ?? 'string') as ValueType}
          mayBeEmptied
          value={properties[key]}
          onChange={(value) => put({}, present({ ...properties, [key]: value }))}
        />
      ))}
    </>
  )
}

export const ContactDeleteForm = () => <p className="muted">{texts.contactForms.deleteNote}</p>

export const SegmentForm = ({ step, resources, onChange }: StepFormProps<'add_to_segment'>) => (
  <ChoiceField
    label={texts.contactForms.segment}
    none={texts.contactForms.chooseSegment}
    options={resources.segments}
    value={step.config.segment_id}
    onChange={(segment_id) => onChange({ segment_id })}
  />
)
