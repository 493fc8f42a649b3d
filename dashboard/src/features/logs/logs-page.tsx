import { LOG_OPERATORS } from '../../../../src/features/logs/schema.ts'
import type { Item } from '../../api.ts'
import { CursorList } from '../../ui/cursor-list.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import type { CsvColumn } from '../../ui/export-rows.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { SEARCHED_PERIOD } from '../../ui/filter-fields.ts'
import { type Filters, isFiltered, searchInput } from '../../ui/filter-values.ts'
import { formatNumber } from '../../ui/locale.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ActorName } from './actor-name.tsx'
import { StatusCode } from './status-code.tsx'
import { texts } from './texts.ts'

const FILTERS: Filters = {
  search: { word: 'q', label: texts.filters.search, operators: LOG_OPERATORS },
  fields: [
    {
      ...{ kind: 'choice', label: texts.fields.status, operator: 'status', none: texts.filters.anyStatus },
      options: [
        { value: '2xx', label: texts.filters.successful },
        { value: '4xx', label: texts.filters.rejected },
        { value: '5xx', label: texts.filters.failed },
      ],
    },
    SEARCHED_PERIOD,
  ],
}

const CSV: readonly CsvColumn<Item<'logs.list'>>[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => created_at],
  ['method', ({ method }) => method],
  ['endpoint', ({ endpoint }) => endpoint],
  ['response_status', ({ response_status }) => response_status],
  ['duration_ms', ({ duration_ms }) => duration_ms],
  ['user_agent', ({ user_agent }) => user_agent],
]

export function LogsPage() {
  const { words } = useSearchParams()
  const input = { q: searchInput(words.q) }
  return (
    <Page title={texts.page.title} note={texts.page.note}>
      <FilterBar {...FILTERS}>
        <ExportButton list="logs.list" input={input} columns={CSV} fileName="logs.csv" />
      </FilterBar>
      <CursorList
        label={texts.page.list}
        list="logs.list"
        input={input}
        pageOfOne="/logs/$id"
        columns={[
          {
            name: texts.fields.request,
            kind: 'title',
            cell: ({ method, endpoint }) => (
              <code>
                <strong>{method}</strong> {endpoint}
              </code>
            ),
          },
          {
            name: texts.fields.status,
            kind: 'status',
            cell: ({ response_status }) => <StatusCode code={response_status} />,
          },
          {
            name: texts.fields.duration,
            kind: 'aside',
            cell: ({ duration_ms }) => (duration_ms === null ? null : texts.milliseconds(formatNumber(duration_ms))),
          },
          { name: texts.fields.actor, cell: ({ actor }) => <ActorName actor={actor} /> },
          {
            name: texts.fields.client,
            kind: 'aside',
            cell: ({ user_agent }) => <span className="muted">{user_agent}</span>,
          },
          { name: texts.fields.time, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered(FILTERS, words) ? (
            <NoResults many={texts.page.many} filters={FILTERS} />
          ) : (
            <Empty icon="list" title={texts.page.empty} />
          )
        }
        refetchInterval={() => 5_000}
      />
    </Page>
  )
}
