import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ActorName } from './actor-name.tsx'
import { StatusCode } from './status-code.tsx'

export const LogsPage = () => (
  <Page title="Logs" note="API requests, without reads by this dashboard.">
    <CursorList
      label="API requests"
      list="logs.list"
      input={{}}
      pageOfOne="/logs/$id"
      columns={[
        {
          name: 'Request',
          kind: 'main',
          cell: ({ method, endpoint }) => (
            <code>
              <strong>{method}</strong> {endpoint}
            </code>
          ),
        },
        { name: 'Status', cell: ({ response_status }) => <StatusCode code={response_status} /> },
        { name: 'Actor', kind: 'aside', cell: ({ actor }) => <ActorName actor={actor} /> },
        { name: 'Client', kind: 'aside', cell: ({ user_agent }) => <span className="muted">{user_agent}</span> },
        { name: 'Time', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={<Empty icon="list" title="No requests yet" />}
      refetchInterval={() => 5_000}
    />
  </Page>
)
