import { Link, useSearch } from '@tanstack/react-router'
import { AddSuppression } from '../../../../src/features/suppressions/schema.ts'
import { call } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { asOptions, SearchSelect } from '../../ui/search-select.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Time } from '../../ui/time.tsx'
import { asWritten } from '../../ui/words.ts'

const ORIGINS = ['bounce', 'complaint', 'manual'] as const

export function SuppressionsPage() {
  const { origin, email: wanted } = useSearch({ from: '/suppressions' })
  return (
    <ResourcePage
      title="Suppressions"
      one="suppression"
      icon="block"
      about="Addresses that get no mail: those that bounced for good, complained, or that you put here."
      list="suppressions.list"
      input={{ origin: asWritten(origin), email: wanted }}
      isFiltered={origin !== undefined || wanted !== undefined}
      nameOf={({ email }) => email}
      filters={
        <search className="filters">
          <SearchSelect name="origin" label="Origin" none="Any origin" options={asOptions(ORIGINS)} />
          <SearchText name="email" label="Email, or part of it" />
        </search>
      }
      columns={[
        { name: 'Email', kind: 'main', cell: ({ email }) => email },
        {
          name: 'Origin',
          cell: ({ origin: cause }) => <Badge word={cause} tone={cause === 'manual' ? 'plain' : 'bad'} />,
        },
        {
          name: 'Because of',
          kind: 'aside',
          cell: ({ source_id }) =>
            source_id ? (
              <Link to="/emails/$id" params={{ id: source_id }}>
                this email
              </Link>
            ) : null,
        },
        { name: 'Since', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: AddSuppression,
        fields: [{ name: 'email', label: 'Email' }],
        act: 'Suppress an address',
        run: (body) => call('suppressions.add', { body }),
      }}
      remove={{
        note: 'The address gets mail again.',
        word: 'Remove',
        run: ({ id }) => call('suppressions.remove', { idOrEmail: id }),
      }}
    />
  )
}
