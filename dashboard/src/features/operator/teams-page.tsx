import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { SearchText } from '../../ui/search-text.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ofLimit, TeamState } from './state.tsx'

/** All teams of the installation, for whoever operates it. */
export function TeamsPage() {
  const { name } = useSearchParams().words
  return (
    <Page title="All teams" note="All teams of this installation and their usage. Visible to operators only.">
      <search className="filters">
        <SearchText name="name" label="Name contains" />
      </search>
      <CursorList
        label="teams"
        list="operator.teams.list"
        input={{ ...(name && { name }) }}
        pageOfOne="/operator/$id"
        columns={[
          { name: 'Name', kind: 'main', cell: (team) => <strong>{team.name}</strong> },
          { name: 'Status', cell: (team) => <TeamState {...team} /> },
          {
            name: 'Emails today',
            cell: ({ today, limits }) => ofLimit(today.sent + today.received, limits.emails_per_day),
          },
          {
            name: 'This month',
            cell: ({ this_month, limits }) => ofLimit(this_month.sent + this_month.received, limits.emails_per_month),
          },
          { name: 'People', kind: 'aside', cell: ({ members }) => members.toLocaleString('en') },
          { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={<Empty icon="globe" title={name ? 'No teams match this filter' : 'No teams yet'} />}
      />
    </Page>
  )
}
