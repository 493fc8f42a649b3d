import { Link, useNavigate } from '@tanstack/react-router'
import { CONTACT_OPERATORS, CONTACT_STATUSES, CreateContact } from '../../../../src/features/contacts/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { useChoices } from '../../ui/choices.ts'
import { ExportButton } from '../../ui/export-button.tsx'
import { SEARCHED_PERIOD, statusField } from '../../ui/filter-fields.ts'
import { searchInput } from '../../ui/filter-values.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { ContactActs } from './contact-acts.tsx'
import { CSV_INCLUDE, contactColumns } from './contact-csv.ts'
import { texts } from './texts.ts'

export function ContactsPage() {
  const { segment_id, email, q } = useSearchParams().words
  const input = { segment_id, email, q: searchInput(q) }
  const segments = useChoices('segments.list')
  const properties = useCall('contact-properties.list', { limit: 100 })
  const csv = contactColumns((properties.data?.data ?? []).map(({ key }) => key))
  const navigate = useNavigate()
  return (
    <ResourcePage
      title={texts.title}
      one={texts.one}
      icon="people"
      about={texts.about}
      list="contacts.list"
      input={input}
      nameOf={({ email }) => email}
      pageOfOne="/contacts/$id"
      filterBar={{
        search: { word: 'q', label: texts.filters.search, operators: CONTACT_OPERATORS },
        fields: [
          {
            kind: 'choice',
            label: texts.filters.segment,
            word: 'segment_id',
            none: texts.filters.allContacts,
            options: segments,
          },
          statusField(CONTACT_STATUSES),
          {
            kind: 'text',
            label: texts.filters.email.label,
            word: 'email',
            placeholder: texts.filters.email.placeholder,
          },
          SEARCHED_PERIOD,
        ],
        children: (
          <ExportButton
            list="contacts.list"
            input={{ ...input, include: CSV_INCLUDE }}
            columns={csv}
            fileName="contacts.csv"
          />
        ),
      }}
      bulk={(contacts, clear) => <ContactActs contacts={contacts} segments={segments} onClear={clear} />}
      actions={
        <Link className="button plain" to="/imports">
          {texts.import}
        </Link>
      }
      columns={[
        { name: texts.columns.email, kind: 'title', cell: ({ email }) => email },
        {
          name: texts.columns.name,
          cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' '),
        },
        {
          name: texts.columns.status,
          kind: 'status',
          cell: ({ unsubscribed }) => <Badge word={unsubscribed ? 'unsubscribed' : 'subscribed'} />,
        },
        { name: texts.columns.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: CreateContact,
        fields: [
          { name: 'email', label: texts.fields.email },
          { name: 'first_name', label: texts.fields.firstName },
          { name: 'last_name', label: texts.fields.lastName },
        ],
        run: (body) => call('contacts.create', { body }),
        onCreated: ({ id }) => navigate({ to: '/contacts/$id', params: { id } }),
      }}
      remove={{
        note: texts.deleteNote,
        run: ({ id }) => call('contacts.remove', { idOrEmail: id }),
      }}
    />
  )
}
