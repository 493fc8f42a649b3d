import type { ReactNode } from 'react'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Verdict } from './verdicts.tsx'

/** The inbox. New mail appears by itself: its event comes through the live feed. `firstMail` is what an empty one shows. */
export const ReceivedEmailsPage = ({ firstMail }: { firstMail: ReactNode }) => (
  <Page title="Received">
    <CursorList
      label="received emails"
      list="emails.receiving.list"
      input={{}}
      pageOfOne="/received/$id"
      columns={[
        { name: 'From', cell: ({ from }) => from || '(no sender)' },
        {
          name: 'Subject',
          kind: 'main',
          cell: ({ subject }) => subject || <span className="muted">(no subject)</span>,
        },
        { name: 'To', kind: 'aside', cell: ({ received_for }) => received_for.join(', ') },
        { name: 'Checks', cell: ({ authentication }) => <Verdict authentication={authentication} /> },
        { name: 'Files', kind: 'aside', cell: ({ attachments }) => attachments.length || null },
        { name: 'Received', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={
        <Empty icon="inbox" title="No received emails yet">
          {firstMail}
        </Empty>
      }
    />
  </Page>
)
