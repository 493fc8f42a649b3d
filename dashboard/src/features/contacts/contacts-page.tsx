import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import type { Static } from 'typebox'
import { type ContactItem, CreateContact } from '../../../../src/resources/contacts/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { Time } from '../../ui/time.tsx'

export function ContactsPage() {
  const { segment_id } = useSearch({ strict: false }) as { segment_id?: string }
  const navigate = useNavigate()
  return (
    <ResourcePage<Static<typeof ContactItem>>
      title="Contacts"
      one="contact"
      icon="people"
      about="The people that you write to. Add one, or import a file."
      path="/contacts"
      query={{ segment_id }}
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

/** A contact is found by its whole address; a segment narrows the list. */
function Filters() {
  const navigate = useNavigate()
  const segments = useChoices('/segments')
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    if (email) navigate({ to: `/contacts/${encodeURIComponent(email)}` })
  }
  return (
    <search>
      <form className="filters" onSubmit={find}>
        <SearchSelect name="segment_id" label="Segment" none="All contacts" options={segments} />
        <input name="email" type="email" data-filter aria-label="Find by email" placeholder="Find by email" />
        <Button type="submit">Find</Button>
      </form>
    </search>
  )
}
