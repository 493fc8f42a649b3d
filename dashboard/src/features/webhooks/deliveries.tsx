import { WEBHOOK_EVENTS } from '../../../../src/features/webhooks/schema.ts'
import type { Input } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { type Filters, isFiltered } from '../../ui/filter-values.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Card } from '../../ui/page.tsx'
import { asWritten, useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { isAttemptPending, pollInterval } from './api.ts'
import { DeliveryState, durationText, ResponseBadge } from './delivery-state.tsx'
import { EventDialog } from './event-dialog.tsx'
import { texts } from './texts.ts'
import { ReplayFailed } from './webhook-actions.tsx'

type Status = NonNullable<Input<'webhooks.events.list'>['status']>

const STATUSES: readonly { readonly value: Status; readonly label: string }[] = [
  { value: 'success', label: texts.statuses.delivered },
  { value: 'failing', label: texts.statuses.failing },
  { value: 'failed', label: texts.statuses.failed },
  { value: 'pending', label: texts.statuses.pending },
  { value: 'attempting', label: texts.statuses.sending },
]

const FILTERS: Filters = {
  fields: [
    {
      ...{ kind: 'choice', label: texts.fields.status, word: 'status', none: texts.deliveries.anyStatus },
      options: STATUSES,
    },
    {
      ...{ kind: 'choice', label: texts.deliveries.event, word: 'type', none: texts.deliveries.anyEvent },
      options: WEBHOOK_EVENTS.map((name) => ({ value: name, label: name })),
    },
  ],
}

interface DeliveriesProps {
  readonly webhook: string
  readonly isEnabled: boolean
}

/** The log. What is filtered and the event that is looked at are in the address, so that they can be passed on. */
export function Deliveries({ webhook, isEnabled }: DeliveriesProps) {
  const { words, choose } = useSearchParams()
  const { status, type, event: shown } = words
  const show = (event: string | undefined) => choose({ after: words.after, before: words.before, event })
  return (
    <Card title={texts.deliveries.title} actions={<ReplayFailed webhook={webhook} isEnabled={isEnabled} />}>
      <FilterBar {...FILTERS} />
      <CursorList
        label={texts.deliveries.many}
        list="webhooks.events.list"
        input={{
          id: webhook,
          status: asWritten<Status>(status),
          type: asWritten<(typeof WEBHOOK_EVENTS)[number]>(type),
        }}
        onChoose={(event) => show(event.id)}
        refetchInterval={(events) => pollInterval(events.some(isAttemptPending))}
        columns={[
          {
            name: texts.deliveries.event,
            kind: 'title',
            cell: (event) => (
              <>
                {event.type} {event.is_test && <Badge word={texts.statuses.test} />}
              </>
            ),
          },
          { name: texts.fields.status, kind: 'status', cell: (event) => <DeliveryState event={event} /> },
          {
            name: texts.deliveries.response,
            kind: 'aside',
            cell: ({ last_status_code: code }) =>
              code === null ? <span className="muted">–</span> : <ResponseBadge code={code} />,
          },
          {
            name: texts.deliveries.duration,
            kind: 'aside',
            cell: ({ last_duration_ms: ms }) => (ms === null ? <span className="muted">–</span> : durationText(ms)),
          },
          { name: texts.deliveries.time, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered(FILTERS, words) ? (
            <NoResults many={texts.deliveries.many} filters={FILTERS} />
          ) : (
            <Empty icon="hook" title={texts.deliveries.empty}>
              <p className="muted">{texts.deliveries.emptyNote}</p>
            </Empty>
          )
        }
      />
      {shown && <EventDialog webhook={webhook} event={shown} onClose={() => show(undefined)} />}
    </Card>
  )
}
