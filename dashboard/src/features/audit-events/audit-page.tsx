import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type Input, save } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { dayBegins, dayEnds, Time } from '../../ui/time.tsx'
import { type AuditEvent, detailsOf, hasLog, inWords, pageOf } from './actions.ts'
import { type AuditFilter, Filters } from './filters.tsx'

const COLUMNS: readonly Column<AuditEvent>[] = [
  { name: 'Action', kind: 'main', cell: (event) => <What event={event} /> },
  { name: 'Actor', cell: ({ actor }) => <Who actor={actor} /> },
  {
    name: 'IP address',
    kind: 'aside',
    cell: ({ ip_address, user_agent }) => <span title={user_agent ?? undefined}>{ip_address}</span>,
  },
  { name: 'Time', cell: (event) => <When event={event} /> },
]

export function AuditPage() {
  const { actor_id, action, object_id, created_after, created_before } = useSearch({ from: '/audit' })
  const filter = { actor_id, action, object_id, created_after, created_before }
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const navigate = useNavigate()
  const exportCsv = useAct({ run: () => save('audit-events.export', asInput(filter), 'audit-log.csv'), refresh: [] })
  return (
    <Page
      title="Audit log"
      note="Who changed what. Reads and sends are in Logs."
      actions={
        <Button isBusy={exportCsv.isPending} onClick={() => exportCsv.mutate()}>
          Export CSV
        </Button>
      }
    >
      <Filters filter={filter} onChange={(next) => navigate({ to: '/audit', search: next })} />
      <CursorList
        label="Audit events"
        list="audit-events.list"
        input={asInput(filter)}
        columns={COLUMNS}
        empty={<Empty icon="archive" title={isFiltered ? 'No events match this filter' : 'No events yet'} />}
      />
    </Page>
  )
}

const asInput = ({ created_after, created_before, ...rest }: AuditFilter): Input<'audit-events.export'> => ({
  ...rest,
  created_after: dayBegins(created_after),
  created_before: dayEnds(created_before),
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

const KINDS = {
  user: '',
  api_key: 'API key ',
  oauth_token: '',
  smtp: 'SMTP',
  automation: 'Automation',
  system: 'Postwren',
}

/** A name leads to everything else that they did. */
function Who({ actor: { type, id, name } }: Pick<AuditEvent, 'actor'>) {
  if (id === null) return <span className="muted">{name ?? KINDS[type]}</span>
  return (
    <>
      <span className="muted">{KINDS[type]}</span>
      <Link to="/audit" search={{ actor_id: id }} title="All actions of this actor">
        {name ?? id}
      </Link>
    </>
  )
}

const When = ({ event }: { event: AuditEvent }) => (
  <>
    <Time at={event.created_at} />
    {hasLog(event) && (
      <>
        {' '}
        <Link to="/logs/$id" params={{ id: event.id }}>
          log
        </Link>
      </>
    )}
  </>
)
