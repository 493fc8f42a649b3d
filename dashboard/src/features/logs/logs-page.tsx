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
  search: { word: 'q', label: texts.searchLogs, operators: LOG_OPERATORS },
  fields: [
    {
      ...{ kind: 'choice', label: texts.status, operator: 'status', none: texts.allStatuses },
      options: [
        { value: '2xx', label: texts.successful2xx },
        { value: '4xx', label: texts.rejected4xx },
        { value: '5xx', label: texts.failed5xx },
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
    <Page title={texts.logs} note={texts.apiRequestsWithoutReads}>
      <FilterBar {...FILTERS}>
        <ExportButton list="logs.list" input={input} columns={CSV} fileName="logs.csv" />
      </FilterBar>
      <CursorList
        label={texts.apiRequests}
        list="logs.list"
        input={input}
        pageOfOne="/logs/$id"
        columns={[
          {
            name: texts.request,
            kind: 'title',
            cell: ({ method, endpoint }) => (
              <code>
                <strong>{method}</strong> {endpoint}
              </code>
            ),
          },
          { name: texts.status, kind: 'status', cell: ({ response_status }) => <StatusCode code={response_status} /> },
          {
            name: texts.duration,
            kind: 'aside',
            cell: ({ duration_ms }) => (duration_ms === null ? null : `${formatNumber(duration_ms)} ms`),
          },
          { name: texts.actor, cell: ({ actor }) => <ActorName actor={actor} /> },
          { name: texts.client, kind: 'aside', cell: ({ user_agent }) => <span className="muted">{user_agent}</span> },
          { name: texts.time, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered(FILTERS, words) ? (
            <NoResults many="requests" filters={FILTERS} />
          ) : (
            <Empty icon="list" title={texts.noRequestsYet} />
          )
        }
        refetchInterval={() => 5_000}
      />
    </Page>
  )
}
