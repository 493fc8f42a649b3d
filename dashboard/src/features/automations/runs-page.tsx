import { RUN_STATUSES } from '../../../../src/features/automations/schema.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { asOptions, SearchSelect } from '../../ui/search-select.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { eventText } from './sentences.ts'

/** No event says that a run went on, so the page polls. */
const POLL_INTERVAL_MS = 3_000

export function RunsPage() {
  const { words } = useSearchParams()
  const { automation_id, status, email } = words
  const automations = useCall('automations.list', { limit: 100 }).data?.data ?? []
  const nameOf = (id: string) => automations.find((one) => one.id === id)?.name ?? id
  const isFiltered = [automation_id, status, email].some((word) => word)
  return (
    <Page title="Runs" note={automation_id && `of ${nameOf(automation_id)}`}>
      <div className="filters">
        <SearchSelect
          name="automation_id"
          label="Automation"
          none="All automations"
          options={automations.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <SearchSelect name="status" label="Status" none="All statuses" options={asOptions(RUN_STATUSES)} />
        <SearchText name="email" label="Contact email" />
      </div>
      <CursorList
        label="runs"
        list="automationRuns.list"
        input={{ automation_id, status, email }}
        pageOfOne="/automation-runs/$id"
        refetchInterval={(runs) => (runs.some((run) => run.status === 'running') ? POLL_INTERVAL_MS : false)}
        columns={[
          {
            name: 'Contact',
            kind: 'main',
            cell: (run) => (
              <>
                {run.email ?? 'Deleted contact'} {run.is_test && <Badge word="test" />}
              </>
            ),
          },
          { name: 'Automation', cell: (run) => nameOf(run.automation_id) },
          { name: 'Status', cell: (run) => <Badge word={run.status} /> },
          {
            name: 'Waiting for',
            kind: 'aside',
            cell: ({ due_at, waits_for }) => (
              <span className="muted">
                {waits_for && eventText(waits_for)} {due_at && <Time at={due_at} />}
              </span>
            ),
          },
          { name: 'Started', kind: 'aside', cell: (run) => <Time at={run.started_at ?? run.created_at} /> },
        ]}
        empty={
          isFiltered ? (
            <Empty icon="flow" title="No runs match this filter" />
          ) : (
            <Empty icon="flow" title="No runs yet">
              <p className="muted">An enabled automation starts a run at each trigger event.</p>
            </Empty>
          )
        }
      />
    </Page>
  )
}
