import { CreateContactProperty, UpdateContactProperty } from '../../../../src/features/contact-properties/schema.ts'
import { call } from '../../api.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const FALLBACK = {
  name: 'fallback_value',
  label: texts.fallback,
  hint: texts.usedBroadcastsContactsWithout,
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
    title={texts.properties}
    one="property"
    icon="tag"
    about={texts.customFieldsContactsUse}
    list="contact-properties.list"
    input={{}}
    nameOf={({ key }) => key}
    columns={[
      { name: texts.key, kind: 'title', cell: ({ key }) => <code>{key}</code> },
      { name: texts.type, cell: ({ type }) => type },
      {
        name: texts.fallback,
        cell: ({ fallback_value }) => fallback_value ?? <span className="muted">{texts.none}</span>,
      },
      { name: texts.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{
      shape: CreateContactProperty,
      fields: [
        { name: 'key', label: texts.key, hint: texts.lettersDigitsUnderscoresCannot },
        { name: 'type', label: texts.type },
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
      note: texts.valueDeletedFromAll,
      run: ({ id }) => call('contact-properties.remove', { id }),
    }}
  />
)
