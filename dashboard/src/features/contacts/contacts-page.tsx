import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CreateContact } from '../../../../src/features/contacts/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { useChoices } from '../../ui/choices.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Time } from '../../ui/time.tsx'

export function ContactsPage() {
  const { segment_id, email } = useSearch({ from: '/contacts' })
  const navigate = useNavigate()
  return (
    <ResourcePage
      title="Contacts"
      one="contact"
      icon="people"
      about="The people that you write to. Add one, or import a file."
      list="contacts.list"
      input={{ segment_id, email }}
      isFiltered={segment_id !== undefined || email !== undefined}
      nameOf={({ email }) => email}
      pageOfOne="/contacts/$id"
      filters={<Filters />}
      actions={
        <Link className="button plain" to="/imports">
          Import
        </Link>
      }
      columns={[
        { name: 'Email', kind: 'main', cell: ({ email }) => email },
        { name: 'Name', cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') },
        { name: 'State', cell: ({ unsubscribed }) => <Badge word={unsubscribed ? 'unsubscribed' : 'subscribed'} /> },
        { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: CreateContact,
        fields: [
          { name: 'email', label: 'Email' },
          { name: 'first_name', label: 'First name' },
          { name: 'last_name', label: 'Last name' },
        ],
        run: (body) => call('contacts.create', { body }),
        onCreated: ({ id }) => navigate({ to: '/contacts/$id', params: { id } }),
      }}
      remove={{
        note: 'With all that is known about this person. What was sent stays.',
        run: ({ id }) => call('contacts.remove', { idOrEmail: id }),
      }}
    />
  )
}

function Filters() {
  const segments = useChoices('segments.list')
  return (
    <search className="filters">
      <SearchSelect name="segment_id" label="Segment" none="All contacts" options={segments} />
      <SearchText name="email" label="Email, or part of it" />
    </search>
  )
}
