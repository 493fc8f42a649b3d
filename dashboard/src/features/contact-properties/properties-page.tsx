import { CreateContactProperty, UpdateContactProperty } from '../../../../src/features/contact-properties/schema.ts'
import { call } from '../../api.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { inSentenceCase } from '../../ui/sentence-case.ts'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const FALLBACK = {
  name: 'fallback_value',
  label: texts.fields.fallback.label,
  hint: texts.fields.fallback.hint,
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
    title={texts.title}
    one={texts.one}
    icon="tag"
    about={texts.about}
    list="contact-properties.list"
    input={{}}
    nameOf={({ key }) => key}
    columns={[
      { name: texts.columns.key, kind: 'title', cell: ({ key }) => <code>{key}</code> },
      { name: texts.columns.type, cell: ({ type }) => inSentenceCase(type) },
      {
        name: texts.columns.fallback,
        cell: ({ fallback_value }) => fallback_value ?? <span className="muted">{texts.noFallback}</span>,
      },
      { name: texts.columns.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{
      shape: CreateContactProperty,
      fields: [
        { name: 'key', label: texts.fields.key.label, hint: texts.fields.key.hint },
        { name: 'type', label: texts.fields.type.label },
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
      note: texts.deleteNote,
      run: ({ id }) => call('contact-properties.remove', { id }),
    }}
  />
)
