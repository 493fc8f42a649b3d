import type { ReactNode } from 'react'
import type { Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { formatNumber } from '../../../ui/locale.ts'
import { Page } from '../../../ui/page.tsx'
import type { Column } from '../../../ui/row-parts.tsx'
import { Rows } from '../../../ui/rows.tsx'
import { asWritten, useSearchParams } from '../../../ui/search-params.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { Time } from '../../../ui/time.tsx'
import './delivery.css'
import { FlowBadge, FlowReason } from './flow.tsx'
import { Holds } from './holds.tsx'
import { rateOfCeiling } from './rates.ts'
import { RoutesBanner, RoutesSection } from './routes-section.tsx'
import { Rules } from './rules.tsx'
import { SourcesSection } from './sources-section.tsx'
import { texts } from './texts.ts'

type Summary = Reply<'operator.delivery.summary'>
type View = Summary['by']
type Group = Summary['data'][number] & { readonly id: string }

const VIEWS: readonly (readonly [View, string])[] = [
  ['destination', texts.page.views.destination],
  ['provider', texts.page.views.provider],
  ['domain', texts.page.views.domain],
  ['team', texts.page.views.team],
  ['identity', texts.page.views.identity],
  ['route', texts.page.views.route],
]

/** An operator who looks at a queue wants to see it move. */
const REFRESH_MS = 10_000

/** Where mail of all teams waits, trouble first. */
export function DeliveryPage() {
  const { words, choose } = useSearchParams()
  const by = asWritten<View>(words.by) ?? 'destination'
  const summary = useCall('operator.delivery.summary', { by }, { refetchInterval: () => REFRESH_MS })
  return (
    <Page
      title={texts.page.title}
      note={texts.page.note}
      actions={
        <Switch
          label={texts.page.groupBy}
          options={VIEWS}
          value={by}
          onChange={(view) => void choose({ by: view === 'destination' ? undefined : view })}
        />
      }
    >
      <RoutesBanner />
      {summary.isPending && <Loading />}
      {summary.isError && <Failed error={summary.error} onRetry={() => summary.refetch()} />}
      {summary.data && <Groups {...summary.data} />}
      <RoutesSection />
      <SourcesSection />
      <Holds />
      <Rules />
    </Page>
  )
}

function Groups({ by, data, is_complete }: Summary) {
  const known = data.flatMap((group) =>
    by === 'destination' && group.name === null ? [] : [{ ...group, id: group.name ?? '' }],
  )
  const unknown = by === 'destination' ? data.find(({ name }) => name === null) : undefined
  const away = by === 'destination' ? known.filter(({ state }) => state === 'away') : []
  const label = texts.page.views[by]
  return (
    <>
      {away.length > 0 && (
        <p className="form-error delivery-banner" role="alert">
          {texts.banner.away(away.length)} {away.map(({ id }) => id).join(', ')}
        </p>
      )}
      {known.length > 0 ? (
        <div className="delivery-groups">
          <Rows
            label={texts.page.table(label)}
            columns={columnsOf(by, known)}
            items={known}
            {...(by === 'destination' && { pageOfOne: '/delivery/$id' as const })}
            {...(by === 'team' && { pageOfOne: '/operator/$id' as const })}
          />
        </div>
      ) : (
        <Empty icon="send" title={texts.page.empty}>
          <p className="muted">{texts.page.emptyNote}</p>
        </Empty>
      )}
      <div className="delivery-note muted">
        {unknown && <p>{texts.page.unknown(countIn(unknown))}</p>}
        {!is_complete && <p>{texts.page.incomplete}</p>}
      </div>
    </>
  )
}

const countIn = ({ waiting, in_flight, deferred, held }: Pick<Group, 'waiting' | 'in_flight' | 'deferred' | 'held'>) =>
  waiting + in_flight + deferred + held

const columnsOf = (by: View, groups: readonly Group[]): Column<Group>[] => [
  {
    name: texts.columns[by],
    kind: 'title',
    cell: ({ name, label }) => (
      <strong>{label ?? name ?? (by === 'route' ? texts.page.byRules : texts.page.unnamed)}</strong>
    ),
  },
  { name: texts.columns.state, kind: 'status', cell: ({ state }) => <FlowBadge state={state} /> },
  { name: texts.columns.why, kind: 'main', cell: (group) => <Why {...group} /> },
  counted(texts.columns.waiting, ({ waiting }) => waiting),
  counted(texts.columns.inFlight, ({ in_flight }) => in_flight),
  counted(texts.columns.deferred, ({ deferred }) => deferred),
  ...(groups.some(({ held }) => held > 0) ? [counted(texts.columns.held, ({ held }) => held)] : []),
  { name: texts.columns.oldest, kind: 'time', cell: ({ oldest_at }) => <Time at={oldest_at} /> },
  ...(by === 'destination'
    ? [
        {
          name: texts.columns.rate,
          kind: 'aside' as const,
          cell: ({ rate, max_rate }: Group) => rateOfCeiling(rate, max_rate),
        },
      ]
    : []),
]

const counted = (name: string, count: (group: Group) => number): Column<Group> => ({
  name,
  cell: (group) => (
    <span className="counted" data-count={count(group)} data-what={name.toLowerCase()}>
      {formatNumber(count(group))}
    </span>
  ),
})

/** What is in the way, and below it what was said last. */
function Why({ state, reason, until, stop, last_reply }: Group): ReactNode {
  const reply = stop?.reply ?? last_reply?.reply
  if (reason === null && reply === undefined) return null
  return (
    <>
      <span className="delivery-why">
        <FlowReason state={state} reason={reason} until={until} />
      </span>
      {reply && (
        <small className="delivery-why muted" title={reply}>
          {reply}
        </small>
      )}
    </>
  )
}
