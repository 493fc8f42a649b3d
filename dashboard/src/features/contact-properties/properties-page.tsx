import { CreateContactProperty, UpdateContactProperty } from '../../../../src/features/contact-properties/schema.ts'
import { call } from '../../api.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

const FALLBACK = {
  name: 'fallback_value',
  label: 'Fallback',
  hint: 'What stands in a broadcast for contacts without a value.',
} as const

/** The field is one for both kinds; a number is sent as one. */
const withTypedFallback = <Values extends { fallback_value?: string | number | null }>(
  values: Values,
  type: string,
) => {
  const number = Number(values.fallback_value)
  return type === 'number' && values.fallback_value && !Number.isNaN(number)
    ? { ...values, fallback_value: number }
    : values
}

export const PropertiesPage = () => (
  <ResourcePage
    title="Properties"
    one="property"
    icon="tag"
    about="What you know about your contacts besides name and address, for use in broadcasts: {{{plan|free}}}."
    list="contact-properties.list"
    input={{}}
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
      run: (values) => call('contact-properties.create', { body: withTypedFallback(values, values.type) }),
    }}
    edit={{
      shape: UpdateContactProperty,
      fields: [FALLBACK],
      run: ({ id, type }, values) => call('contact-properties.update', { id, body: withTypedFallback(values, type) }),
    }}
    remove={{
      note: 'All contacts lose their value of it.',
      run: ({ id }) => call('contact-properties.remove', { id }),
    }}
  />
)
