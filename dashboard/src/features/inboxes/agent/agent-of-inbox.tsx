import { Link } from '@tanstack/react-router'
import { useCall } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CursorList } from '../../../ui/cursor-list.tsx'
import { Card, Code } from '../../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { ActsOfRun } from './acts-of-run.tsx'
import { AgentForm } from './agent-form.tsx'

/** The agent of an inbox, for a page of its own: what it is told and may do, and what it did. Props: `inbox`, the id. */
export function AgentOfInbox({ inbox }: { inbox: string }) {
  const agent = useCall('inboxes.agent.get', { inbox })
  if (agent.isPending) return <Loading />
  if (agent.isError) return <Failed error={agent.error} onRetry={() => agent.refetch()} />
  const { is_available, runs_today, runs_per_day } = agent.data
  return (
    <>
      {!is_available && <NoModel />}
      <AgentForm key={inbox} inbox={inbox} agent={agent.data} />
      <Card title="What it did">
        {is_available && (
          <p className="muted">
            {runs_today.toLocaleString('en')} of {runs_per_day.toLocaleString('en')} messages today. What comes beyond
            that is left to people.
          </p>
        )}
        <CursorList
          label="what the agent did"
          list="inboxes.agent.runs.list"
          input={{ inbox }}
          columns={[
            { name: 'What', kind: 'main', cell: (run) => <ActsOfRun run={run} /> },
            { name: 'Status', cell: ({ status }) => <Badge word={status} tone={TONES[status]} /> },
            { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
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
            <Empty icon="bolt" title="Nothing yet">
              <p className="muted">Each message that it looks at appears here, with what it did and why.</p>
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
  <Card title="There is no model to ask yet">
    <p>
      The agent needs a model that can call tools, on a server that speaks the chat completions protocol. It may be one
      on the same machine. Whoever runs this installation sets:
    </p>
    <Code
      label="Settings"
      text={
        'POSTWREN_AGENT_URL=http://127.0.0.1:11434/v1\nPOSTWREN_AGENT_MODEL=qwen3:8b\nPOSTWREN_AGENT_KEY=…   # if the server asks for one'
      }
    />
    <p className="muted">
      What you write below is kept, and counts from then on. The text of the mail that comes to this inbox is sent to
      that server.
    </p>
  </Card>
)
