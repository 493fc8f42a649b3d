import { CursorList } from '../../ui/cursor-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import type { Filters } from '../../ui/filter-values.ts'
import { formatNumber } from '../../ui/locale.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ofLimit, TeamState } from './state.tsx'
import { texts } from './texts.ts'

const FILTERS: Filters = { search: { word: 'name', label: texts.page.search }, fields: [] }

/** All teams of the installation, for whoever operates it. */
export function TeamsPage() {
  const { name } = useSearchParams().words
  return (
    <Page title={texts.page.title} note={texts.page.note}>
      <FilterBar {...FILTERS} />
      <CursorList
        label={texts.page.many}
        list="operator.teams.list"
        input={{ ...(name && { name }) }}
        pageOfOne="/operator/$id"
        columns={[
          { name: texts.columns.name, kind: 'title', cell: (team) => <strong>{team.name}</strong> },
          { name: texts.columns.status, kind: 'status', cell: (team) => <TeamState {...team} /> },
          {
            name: texts.usage.emailsToday,
            cell: ({ today, limits }) => ofLimit(today.sent + today.received, limits.emails_per_day),
          },
          {
            name: texts.columns.thisMonth,
            cell: ({ this_month, limits }) => ofLimit(this_month.sent + this_month.received, limits.emails_per_month),
          },
          { name: texts.usage.people, kind: 'aside', cell: ({ members }) => formatNumber(members) },
          { name: texts.usage.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          name ? (
            <NoResults many={texts.page.many} filters={FILTERS} />
          ) : (
            <Empty icon="globe" title={texts.page.empty} />
          )
        }
      />
    </Page>
  )
}
