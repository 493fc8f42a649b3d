import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { ReceivedRow } from './api.ts'
import { Verdict } from './verdicts.tsx'

/** The inbox. New mail appears by itself: its event is told by the live feed. */
export const ReceivedEmailsPage = () => (
  <Page title="Received">
    <CursorList<ReceivedRow>
      label="received emails"
      queryKey={['received-emails']}
      path="/emails/receiving"
      linkTo={({ id }) => `/received/${id}`}
      columns={[
        { name: 'From', cell: ({ from }) => from },
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
        <Empty icon="inbox" title="Nothing has come in yet">
          <p className="muted">Send something to the SMTP port that the start of the service names.</p>
        </Empty>
      }
    />
  </Page>
)
