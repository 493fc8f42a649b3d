import { Link } from '@tanstack/react-router'
import { type Input, save } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, CursorList } from '../../ui/cursor-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { PERIOD } from '../../ui/filter-fields.ts'
import { type Filters, isFiltered } from '../../ui/filter-values.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Page } from '../../ui/page.tsx'
import { periodInput } from '../../ui/period.ts'
import { rich } from '../../ui/rich.tsx'
import { useSearchParams, type Words } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { type AuditEvent, CHOICES, detailsOf, hasLog, inWords, pageOf } from './actions.ts'
import { texts } from './texts.ts'

const COLUMNS: readonly Column<AuditEvent>[] = [
  { name: texts.columns.action, kind: 'title', cell: (event) => <What event={event} /> },
  { name: texts.columns.actor, cell: ({ actor }) => <Who actor={actor} /> },
  {
    name: texts.columns.ipAddress,
    kind: 'aside',
    cell: ({ ip_address, user_agent }) => <span title={user_agent ?? undefined}>{ip_address}</span>,
  },
  { name: texts.columns.time, kind: 'time', cell: (event) => <When event={event} /> },
]

const FILTERS: Filters = {
  fields: [
    { kind: 'choice', label: texts.filters.action, word: 'action', none: texts.filters.allActions, options: CHOICES },
    { kind: 'text', label: texts.filters.actorId, word: 'actor_id' },
    { kind: 'text', label: texts.filters.objectId, word: 'object_id' },
    PERIOD,
  ],
}

export function AuditPage() {
  const { words } = useSearchParams()
  const exportCsv = useAct({ run: () => save('audit-events.export', asInput(words), 'audit-log.csv'), refresh: [] })
  return (
    <Page
      title={texts.title}
      note={texts.note}
      actions={
        <Button isBusy={exportCsv.isPending} onClick={() => exportCsv.mutate()}>
          {texts.exportCsv}
        </Button>
      }
    >
      <FilterBar {...FILTERS} />
      <CursorList
        label={texts.label}
        list="audit-events.list"
        input={asInput(words)}
        columns={COLUMNS}
        empty={
          isFiltered(FILTERS, words) ? (
            <NoResults many={texts.many} filters={FILTERS} />
          ) : (
            <Empty icon="archive" title={texts.empty} />
          )
        }
      />
    </Page>
  )
}

const asInput = (words: Words): Input<'audit-events.export'> => ({
  ...{ actor_id: words.actor_id, action: words.action, object_id: words.object_id },
  ...periodInput(words),
})

function What({ event }: { event: AuditEvent }) {
  const page = pageOf(event)
  const details = detailsOf(event)
  const words = inWords(event.action)
  return (
    <>
      {page ? (
        <Link to={page} params={{ id: event.object_id! }}>
          {words}
        </Link>
      ) : (
        words
      )}
      {details && (
        <span className="muted" title={details}>
          {' '}
          {details.slice(0, 120)}
        </span>
      )}
    </>
  )
}

/** A name leads to everything else that they did. */
function Who({ actor: { type, id, name } }: Pick<AuditEvent, 'actor'>) {
  if (id === null) return <span className="muted">{name ?? texts.unnamedActors[type]}</span>
  const link = (
    <Link to="/audit" search={{ actor_id: id }} title={texts.actorTitle}>
      {name ?? id}
    </Link>
  )
  return <span className="muted">{rich(texts.namedActors[type], { name: link })}</span>
}

const When = ({ event }: { event: AuditEvent }) => (
  <>
    <Time at={event.created_at} />{' '}
    {hasLog(event) && (
      <Link to="/logs/$id" params={{ id: event.id }}>
        {texts.viewLog}
      </Link>
    )}
  </>
)
