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
import { rich } from '../../ui/rich.tsx'
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
    search: { word: 'email', label: texts.runs.search },
    fields: [
      {
        ...{
          kind: 'choice',
          label: texts.runs.filters.automation,
          word: 'automation_id',
          none: texts.runs.filters.allAutomations,
        },
        options: automations.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        ...{ kind: 'choice', label: texts.runs.filters.status, word: 'status', none: texts.runs.filters.allStatuses },
        options: asOptions(RUN_STATUSES),
      },
    ],
  }
  return (
    <Page title={texts.runs.title} note={automation_id && texts.runs.ofAutomation(nameOf(automation_id))}>
      <FilterBar {...filters} />
      <CursorList
        label={texts.runs.many}
        list="automationRuns.list"
        input={{ automation_id, status, email }}
        pageOfOne="/automation-runs/$id"
        refetchInterval={(runs) => (runs.some((run) => run.status === 'running') ? POLL_INTERVAL_MS : false)}
        columns={[
          {
            name: texts.runs.columns.contact,
            kind: 'title',
            cell: (run) => (
              <>
                {run.email ?? texts.runs.deletedContact} {run.is_test && <Badge word={texts.run.test} />}
              </>
            ),
          },
          { name: texts.runs.columns.automation, cell: (run) => nameOf(run.automation_id) },
          { name: texts.runs.columns.status, kind: 'status', cell: (run) => <Badge word={run.status} /> },
          { name: texts.runs.columns.details, kind: 'aside', cell: (run) => <RunNote run={run} /> },
          {
            name: texts.runs.columns.started,
            kind: 'time',
            cell: (run) => <Time at={run.started_at ?? run.created_at} />,
          },
        ]}
        empty={
          isFiltered(filters, words) ? (
            <NoResults many={texts.runs.many} filters={filters} />
          ) : (
            <Empty icon="flow" title={texts.runs.empty.title}>
              <p className="muted">{texts.runs.empty.note}</p>
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
  if (status === 'failed') return <span className="run-error">{reason ?? texts.runs.failed}</span>
  if (status === 'cancelled')
    return <span className="muted">{email === null ? texts.runs.contactDeleted : texts.runs.stopped}</span>
  const event = waits_for && eventText(waits_for)
  const time = due_at && <Time at={due_at} />
  if (event && time) return <span className="muted">{rich(texts.runs.waitsOrResumes, { event, time })}</span>
  if (time) return <span className="muted">{rich(texts.runs.resumes, { time })}</span>
  return event && <span className="muted">{texts.runs.waitsUntil(event)}</span>
}
