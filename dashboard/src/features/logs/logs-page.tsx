import { CursorList } from '../../ui/cursor-list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ActorName } from './actor-name.tsx'
import { StatusCode } from './status-code.tsx'

export const LogsPage = () => (
  <Page title="Logs" note="Every call of the API, except for what this dashboard reads.">
    <CursorList
      label="API calls"
      list="logs.list"
      input={{}}
      pageOfOne="/logs/$id"
      columns={[
        {
          name: 'Call',
          kind: 'main',
          cell: ({ method, endpoint }) => (
            <code>
              <strong>{method}</strong> {endpoint}
            </code>
          ),
        },
        { name: 'Status', cell: ({ response_status }) => <StatusCode code={response_status} /> },
        { name: 'Who', kind: 'aside', cell: ({ actor }) => <ActorName actor={actor} /> },
        { name: 'Client', kind: 'aside', cell: ({ user_agent }) => <span className="muted">{user_agent}</span> },
        { name: 'When', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      empty={<Empty icon="list" title="No calls yet" />}
      refetchInterval={() => 5_000}
    />
  </Page>
)
