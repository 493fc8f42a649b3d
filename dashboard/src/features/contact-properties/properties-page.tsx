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

export const PropertiesPage = () => (
  <ResourcePage<Static<typeof ContactPropertyItem>>
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
    deleting="All contacts lose their value of it."
  />
)
