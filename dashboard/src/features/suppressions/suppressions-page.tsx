import { Link } from '@tanstack/react-router'
import { AddSuppression, ORIGINS, SUPPRESSION_OPERATORS } from '../../../../src/features/suppressions/schema.ts'
import { call, type Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import type { CsvColumn } from '../../ui/export-rows.ts'
import { asOptions, SEARCHED_PERIOD } from '../../ui/filter-fields.ts'
import { searchInput } from '../../ui/filter-values.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { asWritten, useSearchParams } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

type Suppression = Item<'suppressions.list'>

const CSV: readonly CsvColumn<Suppression>[] = [
  ['id', ({ id }) => id],
  ['email', ({ email }) => email],
  ['origin', ({ origin }) => origin],
  ['source_id', ({ source_id }) => source_id],
  ['created_at', ({ created_at }) => created_at],
]

/** So many in one call. */
const MAX_BATCH = 100

export function SuppressionsPage() {
  const { origin, email: wanted, q } = useSearchParams().words
  const input = { origin: asWritten<Suppression['origin']>(origin), email: wanted, q: searchInput(q) }
  return (
    <ResourcePage
      title={texts.page.title}
      one={texts.page.one}
      icon="block"
      about={texts.page.about}
      list="suppressions.list"
      input={input}
      nameOf={({ email }) => email}
      filterBar={{
        search: { word: 'q', label: texts.filters.search, operators: SUPPRESSION_OPERATORS },
        fields: [
          {
            kind: 'choice',
            label: texts.fields.origin,
            word: 'origin',
            none: texts.filters.anyOrigin,
            options: asOptions(ORIGINS),
          },
          { kind: 'text', label: texts.fields.email, word: 'email', placeholder: texts.filters.emailPlaceholder },
          SEARCHED_PERIOD,
        ],
        children: <ExportButton list="suppressions.list" input={input} columns={CSV} fileName="suppressions.csv" />,
      }}
      bulk={(suppressions, clear) => (
        <BulkBar
          label={texts.page.many}
          items={suppressions}
          nameOf={({ email }) => email}
          refresh={['suppressions']}
          onClear={clear}
          acts={[
            {
              label: texts.remove.button,
              needs: 'suppressions.batch.remove',
              size: MAX_BATCH,
              run: (items) => call('suppressions.batch.remove', { body: { ids: items.map(({ id }) => id) } }),
              done: texts.remove.done,
              confirm: {
                title: texts.remove.title,
                note: texts.remove.noteMany,
              },
            },
          ]}
        />
      )}
      columns={[
        { name: texts.fields.email, kind: 'title', cell: ({ email }) => email },
        {
          name: texts.fields.origin,
          kind: 'status',
          cell: ({ origin: cause }) => <Badge word={cause} tone={cause === 'manual' ? 'plain' : 'bad'} />,
        },
        {
          name: texts.fields.source,
          kind: 'aside',
          cell: ({ source_id }) =>
            source_id ? (
              <Link to="/emails/$id" params={{ id: source_id }}>
                {texts.viewEmail}
              </Link>
            ) : null,
        },
        { name: texts.fields.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{
        shape: AddSuppression,
        fields: [{ name: 'email', label: texts.fields.email }],
        act: texts.page.add,
        run: (body) => call('suppressions.add', { body }),
      }}
      remove={{
        note: texts.remove.note,
        word: 'Remove',
        run: ({ id }) => call('suppressions.remove', { idOrEmail: id }),
      }}
    />
  )
}
