import { RUN_STATUSES } from '../../../../src/features/automations/schema.ts'
import type { Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { asOptions } from '../../ui/filter-fields.ts'
import { type Filters, isFiltered } from '../../ui/filter-values.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { eventText } from './sentences.ts'
import './run-steps.css'
import { texts } from './texts.ts'

/** No event says that a run went on, so the page polls. */
const POLL_INTERVAL_MS = 3_000

export function RunsPage() {
  const { words } = useSearchParams()
  const { automation_id, status, email } = words
  const automations = useCall('automations.list', { limit: 100 }).data?.data ?? []
  const nameOf = (id: string) => automations.find((one) => one.id === id)?.name ?? id
  const filters: Filters = {
    search: { word: 'email', label: texts.contactEmail },
    fields: [
      {
        ...{ kind: 'choice', label: texts.automation, word: 'automation_id', none: texts.allAutomations },
        options: automations.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        ...{ kind: 'choice', label: texts.status, word: 'status', none: texts.allStatuses },
        options: asOptions(RUN_STATUSES),
      },
    ],
  }
  return (
    <Page title={texts.runs} note={automation_id && texts.of(nameOf(automation_id))}>
      <FilterBar {...filters} />
      <CursorList
        label={texts.runsNoun}
        list="automationRuns.list"
        input={{ automation_id, status, email }}
        pageOfOne="/automation-runs/$id"
        refetchInterval={(runs) => (runs.some((run) => run.status === 'running') ? POLL_INTERVAL_MS : false)}
        columns={[
          {
            name: texts.contact,
            kind: 'title',
            cell: (run) => (
              <>
                {run.email ?? texts.deletedContact} {run.is_test && <Badge word="test" />}
              </>
            ),
          },
          { name: texts.automation, cell: (run) => nameOf(run.automation_id) },
          { name: texts.status, kind: 'status', cell: (run) => <Badge word={run.status} /> },
          { name: texts.details, kind: 'aside', cell: (run) => <RunNote run={run} /> },
          { name: texts.started, kind: 'time', cell: (run) => <Time at={run.started_at ?? run.created_at} /> },
        ]}
        empty={
          isFiltered(filters, words) ? (
            <NoResults many="runs" filters={filters} />
          ) : (
            <Empty icon="flow" title={texts.noRunsYet}>
              <p className="muted">{texts.enabledAutomationStartsRun}</p>
            </Empty>
          )
        }
      />
    </Page>
  )
}

/** What a run waits for, or why it has ended early. */
function RunNote({ run }: { run: Item<'automationRuns.list'> }) {
  const { status, reason, email, due_at, waits_for } = run
  if (status === 'failed') return <span className="run-error">{reason ?? texts.stepFailed}</span>
  if (status === 'cancelled')
    return <span className="muted">{email === null ? texts.contactDeleted : texts.stoppedBeforeEnd}</span>
  return (
    <span className="muted">
      {waits_for && texts.waitsUntil(eventText(waits_for))}
      {waits_for && due_at && ' · '}
      {due_at && (
        <>
          {texts.resumesBefore}
          <Time at={due_at} />
        </>
      )}
    </span>
  )
}
