import { lazy, type ReactNode, Suspense, useState } from 'react'
import { LAST_EVENTS } from '../../../../src/mail/last-event.ts'
import { SEARCH_OPERATORS } from '../../../../src/mail/search-query.ts'
import type { Input, Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, CursorList } from '../../ui/cursor-list.tsx'
import { ExportButton } from '../../ui/export-button.tsx'
import type { CsvColumn } from '../../ui/export-rows.ts'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ATTACHMENTS, asOptions, FROM, PERIOD, SUBJECT, TO } from '../../ui/filter-fields.ts'
import { type Filters, isFiltered, searchInput } from '../../ui/filter-values.ts'
import { formatNumber } from '../../ui/locale.ts'
import { useNewFromAddress } from '../../ui/new-from-address.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Page } from '../../ui/page.tsx'
import { periodInput } from '../../ui/period.ts'
import { asWritten, useSearchParams, type Words } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { emailName } from './email-name.ts'
import { texts } from './texts.ts'

// Fetched on first use: most visits only read the list.
const ComposeDialog = lazy(() => import('./compose-dialog.tsx').then((module) => ({ default: module.ComposeDialog })))
const EmailActs = lazy(() => import('./email-acts.tsx').then((module) => ({ default: module.EmailActs })))

type Email = Item<'emails.list'>

const COLUMNS: readonly Column<Email>[] = [
  { name: texts.columns.to, kind: 'title', cell: ({ to }) => <Recipients to={to} /> },
  {
    name: texts.columns.subject,
    kind: 'main',
    cell: ({ subject }) => subject || <span className="muted">{texts.noSubject}</span>,
  },
  { name: texts.columns.status, kind: 'status', cell: ({ last_event }) => <Badge word={last_event} /> },
  {
    name: texts.columns.sent,
    kind: 'time',
    cell: ({ created_at, scheduled_at, last_event }) => (
      <Time at={last_event === 'scheduled' ? scheduled_at : created_at} />
    ),
  },
]

const CSV: readonly CsvColumn<Email>[] = [
  ['id', ({ id }) => id],
  ['created_at', ({ created_at }) => created_at],
  ['from', ({ from }) => from],
  ['to', ({ to }) => to.join(', ')],
  ['subject', ({ subject }) => subject],
  ['status', ({ last_event }) => last_event],
  ['scheduled_at', ({ scheduled_at }) => scheduled_at],
]

const FILTERS: Filters = {
  search: { word: 'q', label: texts.filters.search, operators: SEARCH_OPERATORS },
  fields: [
    {
      ...{
        kind: 'choice',
        label: texts.filters.status,
        word: 'status',
        operator: 'status',
        none: texts.filters.allStatuses,
      },
      options: asOptions(LAST_EVENTS),
    },
    { ...TO, word: 'to' },
    FROM,
    SUBJECT,
    { kind: 'text', label: texts.filters.tag.label, word: 'tag', placeholder: texts.filters.tag.placeholder },
    ATTACHMENTS,
    PERIOD,
  ],
}

const Recipients = ({ to }: { to: readonly string[] }) => (
  <span title={to.join(', ')}>
    {to[0]}
    {to.length > 1 && <span className="muted"> {texts.otherRecipients(formatNumber(to.length - 1))}</span>}
  </span>
)

interface EmailsPageProps {
  /** What an installation shows that has not sent anything yet. */
  readonly firstRun: ReactNode
  /** In inbox mode: mail that was really sent stays. */
  readonly canDelete: boolean
}

export function EmailsPage({ firstRun, canDelete }: EmailsPageProps) {
  const [isComposing, setComposing] = useState(false)
  useNewFromAddress(() => setComposing(true))
  const { words } = useSearchParams()
  const input = asInput(words)
  return (
    <Page
      title={texts.title}
      actions={
        <Button look="primary" icon="send" needs="emails.send" onClick={() => setComposing(true)}>
          {texts.actions.compose}
        </Button>
      }
    >
      <FilterBar {...FILTERS}>
        <ExportButton list="emails.list" input={input} columns={CSV} fileName="emails.csv" />
      </FilterBar>
      <CursorList
        label={texts.many}
        list="emails.list"
        input={input}
        columns={COLUMNS}
        pageOfOne="/emails/$id"
        nameOf={emailName}
        bulk={(emails, clear) => (
          <Suspense>
            <EmailActs emails={emails} canDelete={canDelete} onClear={clear} />
          </Suspense>
        )}
        empty={isFiltered(FILTERS, words) ? <NoResults many={texts.many} filters={FILTERS} /> : firstRun}
      />
      {isComposing && (
        <Suspense>
          <ComposeDialog isOpen onClose={() => setComposing(false)} />
        </Suspense>
      )}
    </Page>
  )
}

const asInput = ({ q, status, to, tag, created_after, created_before }: Words): Input<'emails.list'> => ({
  ...{ q: searchInput(q), to, tag, status: asWritten(status) },
  ...periodInput({ created_after, created_before }),
})
