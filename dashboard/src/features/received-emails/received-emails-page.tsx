import type { ReactNode } from 'react'
import { RECEIVED_OPERATORS } from '../../../../src/features/inbound/schema.ts'
import { CursorList } from '../../ui/cursor-list.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { ATTACHMENTS, FROM, SEARCHED_PERIOD, SUBJECT, TO } from '../../ui/filter-fields.ts'
import { type Filters, isFiltered, searchInput } from '../../ui/filter-values.ts'
import { NoResults } from '../../ui/no-results.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'
import { Verdict } from './verdicts.tsx'

const FILTERS: Filters = {
  search: { word: 'q', label: texts.searchReceivedEmails, operators: RECEIVED_OPERATORS },
  fields: [FROM, TO, SUBJECT, ATTACHMENTS, SEARCHED_PERIOD],
}

/** The inbox. New mail appears by itself: its event comes through the live feed. `firstMail` is what an empty one shows. */
export function ReceivedEmailsPage({ firstMail }: { firstMail: ReactNode }) {
  const { words } = useSearchParams()
  return (
    <Page title={texts.received}>
      <FilterBar {...FILTERS} />
      <CursorList
        label={texts.receivedEmails}
        list="emails.receiving.list"
        input={{ q: searchInput(words.q) }}
        pageOfOne="/received/$id"
        columns={[
          { name: texts.from, kind: 'title', cell: ({ from }) => from || '(no sender)' },
          {
            name: texts.subject,
            kind: 'main',
            cell: ({ subject }) => subject || <span className="muted">{texts.noSubject}</span>,
          },
          { name: texts.to, kind: 'aside', cell: ({ received_for }) => received_for.join(', ') },
          {
            name: texts.checks,
            kind: 'status',
            cell: ({ authentication }) => <Verdict authentication={authentication} />,
          },
          { name: texts.files, kind: 'aside', cell: ({ attachments }) => attachments.length || null },
          { name: texts.received, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered(FILTERS, words) ? (
            <NoResults many="received emails" filters={FILTERS} />
          ) : (
            <Empty icon="inbox" title={texts.noReceivedEmailsYet}>
              {firstMail}
            </Empty>
          )
        }
      />
    </Page>
  )
}
