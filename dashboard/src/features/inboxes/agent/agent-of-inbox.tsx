import { Link } from '@tanstack/react-router'
import { useCall } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CursorList } from '../../../ui/cursor-list.tsx'
import { Card, Code } from '../../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { ActsOfRun } from './acts-of-run.tsx'
import { AgentForm } from './agent-form.tsx'

/** The agent of an inbox, for a page of its own: its instructions and permissions, and what it did. Props: `inbox`, the id. */
export function AgentOfInbox({ inbox }: { inbox: string }) {
  const agent = useCall('inboxes.agent.get', { inbox })
  if (agent.isPending) return <Loading />
  if (agent.isError) return <Failed error={agent.error} onRetry={() => agent.refetch()} />
  const { is_available, runs_today, runs_per_day } = agent.data
  return (
    <>
      {!is_available && <NoModel />}
      <AgentForm key={inbox} inbox={inbox} agent={agent.data} />
      <Card title="Activity">
        {is_available && (
          <p className="muted">
            {runs_today.toLocaleString('en')} of {runs_per_day.toLocaleString('en')} messages processed today. Messages
            beyond the limit are not processed.
          </p>
        )}
        <CursorList
          label="agent runs"
          list="inboxes.agent.runs.list"
          input={{ inbox }}
          columns={[
            { name: 'Actions', kind: 'main', cell: (run) => <ActsOfRun run={run} /> },
            { name: 'Status', cell: ({ status }) => <Badge word={status} tone={TONES[status]} /> },
            { name: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: 'Thread',
              cell: ({ thread_id }) => (
                <Link to="/inboxes/$inbox" params={{ inbox }} search={{ thread: thread_id }}>
                  Open
                </Link>
              ),
            },
          ]}
          empty={
            <Empty icon="bolt" title="No activity yet">
              <p className="muted">Each processed message appears here, with the actions taken and the reasons.</p>
            </Empty>
          }
        />
      </Card>
    </>
  )
}

const TONES = { done: 'good', failed: 'bad', skipped: 'plain' } as const

/** What an operator does about it; others learn whom to ask. */
const NoModel = () => (
  <Card title="No model configured">
    <p>
      The agent needs a model with tool calling, on a server with a chat completions API. It can run on the same
      machine. The operator of this installation sets:
    </p>
    <Code
      label="Settings"
      text={
        'POSTWREN_AGENT_URL=http://127.0.0.1:11434/v1\nPOSTWREN_AGENT_MODEL=qwen3:8b\nPOSTWREN_AGENT_KEY=…   # if the server asks for one'
      }
    />
    <p className="muted">
      Your settings below are saved and apply from then on. The text of email to this inbox is sent to that server.
    </p>
  </Card>
)
