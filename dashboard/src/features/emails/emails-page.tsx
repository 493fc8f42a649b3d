import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Input, Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { asWritten } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { dayBegins, dayEnds, Time } from '../../ui/time.tsx'
import { type EmailFilter, Filters } from './filters.tsx'

/** Fetched when somebody wants to write: most come to look. */
const ComposeDialog = lazy(() => import('./compose-dialog.tsx').then((module) => ({ default: module.ComposeDialog })))

const COLUMNS: readonly Column<Item<'emails.list'>>[] = [
  { name: 'To', cell: ({ to }) => <Recipients to={to} /> },
  { name: 'Subject', kind: 'main', cell: ({ subject }) => subject || <span className="muted">(no subject)</span> },
  { name: 'Status', cell: ({ last_event }) => <Badge word={last_event} /> },
  {
    name: 'Sent',
    kind: 'aside',
    cell: ({ created_at, scheduled_at, last_event }) => (
      <Time at={last_event === 'scheduled' ? scheduled_at : created_at} />
    ),
  },
]

const Recipients = ({ to }: { to: readonly string[] }) => (
  <>
    {to[0]}
    {to.length > 1 && <span className="muted"> +{to.length - 1}</span>}
  </>
)

/** `firstRun` is what an installation shows that has not sent anything yet. */
export function EmailsPage({ firstRun }: { firstRun: ReactNode }) {
  const [isComposing, setComposing] = useState(false)
  const { status, to, tag, created_after, created_before } = useSearch({ from: '/emails' })
  const filter = { status, to, tag, created_after, created_before }
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const navigate = useNavigate()
  return (
    <Page
      title="Emails"
      actions={
        <Button look="primary" icon="send" needs="emails.send" onClick={() => setComposing(true)}>
          Send email
        </Button>
      }
    >
      <Filters filter={filter} onChange={(next) => navigate({ to: '/emails', search: next })} />
      <CursorList
        label="emails"
        list="emails.list"
        input={asInput(filter)}
        columns={COLUMNS}
        pageOfOne="/emails/$id"
        empty={isFiltered ? <Empty icon="send" title="No emails match this filter" /> : firstRun}
      />
      {isComposing && (
        <Suspense>
          <ComposeDialog isOpen onClose={() => setComposing(false)} />
        </Suspense>
      )}
    </Page>
  )
}

const asInput = ({ status, created_after, created_before, ...rest }: EmailFilter): Input<'emails.list'> => ({
  ...rest,
  status: asWritten(status),
  created_after: dayBegins(created_after),
  created_before: dayEnds(created_before),
})
