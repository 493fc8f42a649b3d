import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Static } from 'typebox'
import { type ContactItem, CreateContact } from '../../../../src/resources/contacts/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { useChoices } from '../../ui/choices.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Time } from '../../ui/time.tsx'

export function ContactsPage() {
  const { segment_id, email } = useSearch({ strict: false }) as { segment_id?: string; email?: string }
  const navigate = useNavigate()
  return (
    <ResourcePage<Static<typeof ContactItem>>
      title="Contacts"
      one="contact"
      icon="people"
      about="The people that you write to. Add one, or import a file."
      path="/contacts"
      query={{ segment_id, email }}
      isFiltered={segment_id !== undefined || email !== undefined}
      nameOf={({ email }) => email}
      linkTo={({ id }) => `/contacts/${id}`}
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
      }}
      onCreated={({ id }) => navigate({ to: `/contacts/${id}` })}
      deleting="With all that is known about this person. What was sent stays."
    />
  )
}

function Filters() {
  const segments = useChoices('/segments')
  return (
    <search className="filters">
      <SearchSelect name="segment_id" label="Segment" none="All contacts" options={segments} />
      <SearchText name="email" label="Email, or part of it" />
    </search>
  )
}
