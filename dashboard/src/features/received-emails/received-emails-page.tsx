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
  search: { word: 'q', label: texts.page.search, operators: RECEIVED_OPERATORS },
  fields: [FROM, TO, SUBJECT, ATTACHMENTS, SEARCHED_PERIOD],
}

/** The inbox. New mail appears by itself: its event comes through the live feed. `firstMail` is what an empty one shows. */
export function ReceivedEmailsPage({ firstMail }: { firstMail: ReactNode }) {
  const { words } = useSearchParams()
  return (
    <Page title={texts.page.title}>
      <FilterBar {...FILTERS} />
      <CursorList
        label={texts.page.many}
        list="emails.receiving.list"
        input={{ q: searchInput(words.q) }}
        pageOfOne="/received/$id"
        columns={[
          { name: texts.columns.from, kind: 'title', cell: ({ from }) => from || texts.noSender },
          {
            name: texts.columns.subject,
            kind: 'main',
            cell: ({ subject }) => subject || <span className="muted">{texts.noSubject}</span>,
          },
          { name: texts.columns.to, kind: 'aside', cell: ({ received_for }) => received_for.join(', ') },
          {
            name: texts.columns.checks,
            kind: 'status',
            cell: ({ authentication }) => <Verdict authentication={authentication} />,
          },
          { name: texts.columns.files, kind: 'aside', cell: ({ attachments }) => attachments.length || null },
          { name: texts.columns.received, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          isFiltered(FILTERS, words) ? (
            <NoResults many={texts.page.many} filters={FILTERS} />
          ) : (
            <Empty icon="inbox" title={texts.page.empty}>
              {firstMail}
            </Empty>
          )
        }
      />
    </Page>
  )
}
