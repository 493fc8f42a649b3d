import type { Static } from 'typebox'
import {
  type ContactPropertyItem,
  CreateContactProperty,
  UpdateContactProperty,
} from '../../../../src/resources/contact-properties/schema.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

const FALLBACK = {
  name: 'fallback_value',
  label: 'Fallback',
  hint: 'What stands in a broadcast for contacts without a value.',
}

type Property = Static<typeof ContactPropertyItem>

/** The field is one for both kinds; a number is sent as one. */
const withTypedFallback = (values: Record<string, unknown>, changed: Property | null) => {
  const isNumber = (changed ?? values).type === 'number'
  const number = Number(values.fallback_value)
  return isNumber && values.fallback_value && !Number.isNaN(number) ? { ...values, fallback_value: number } : values
}

export const PropertiesPage = () => (
  <ResourcePage<Property>
    title="Properties"
    one="property"
    icon="tag"
    about="What you know about your contacts besides name and address, for use in broadcasts: {{{plan|free}}}."
    path="/contact-properties"
    nameOf={({ key }) => key}
    columns={[
      { name: 'Key', kind: 'main', cell: ({ key }) => <code>{key}</code> },
      { name: 'Type', cell: ({ type }) => type },
      { name: 'Fallback', cell: ({ fallback_value }) => fallback_value ?? <span className="muted">none</span> },
      { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{
      shape: CreateContactProperty,
      fields: [
        { name: 'key', label: 'Key', hint: 'Letters, digits and underscores. It cannot be changed later.' },
        { name: 'type', label: 'Type' },
        FALLBACK,
      ],
    }}
    edit={{ shape: UpdateContactProperty, fields: [FALLBACK] }}
    prepare={withTypedFallback}
    deleting="All contacts lose their value of it."
  />
)
