import { Link, useSearch } from '@tanstack/react-router'
import { AddSuppression } from '../../../../src/features/suppressions/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { asWritten } from '../../ui/search-params.ts'
import { asOptions, SearchSelect } from '../../ui/search-select.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Time } from '../../ui/time.tsx'

const ORIGINS = ['bounce', 'complaint', 'manual'] as const

export function SuppressionsPage() {
  const { origin, email: wanted } = useSearch({ from: '/suppressions' })
  return (
    <ResourcePage
      title="Suppressions"
      one="suppression"
      icon="block"
      about="Addresses that receive no email: hard bounces, spam complaints, and those you added."
      list="suppressions.list"
      input={{ origin: asWritten(origin), email: wanted }}
      isFiltered={origin !== undefined || wanted !== undefined}
      nameOf={({ email }) => email}
      filters={
        <search className="filters">
          <SearchSelect name="origin" label="Origin" none="All origins" options={asOptions(ORIGINS)} />
          <SearchText name="email" label="Email contains" />
        </search>
      }
      columns={[
        { name: 'Email', kind: 'main', cell: ({ email }) => email },
        {
          name: 'Origin',
          cell: ({ origin: cause }) => <Badge word={cause} tone={cause === 'manual' ? 'plain' : 'bad'} />,
        },
        {
          name: 'Source',
          kind: 'aside',
          cell: ({ source_id }) =>
            source_id ? (
              <Link to="/emails/$id" params={{ id: source_id }}>
                View email
              </Link>
            ) : null,
        },
        { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: AddSuppression,
        fields: [{ name: 'email', label: 'Email' }],
        act: 'Add suppression',
        run: (body) => call('suppressions.add', { body }),
      }}
      remove={{
        note: 'The address can receive email again.',
        word: 'Remove',
        run: ({ id }) => call('suppressions.remove', { idOrEmail: id }),
      }}
    />
  )
}
