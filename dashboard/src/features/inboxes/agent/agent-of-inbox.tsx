import { Link } from '@tanstack/react-router'
import { useCall } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CursorList } from '../../../ui/cursor-list.tsx'
import { formatNumber } from '../../../ui/locale.ts'
import { Card, Code } from '../../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { texts } from '../texts.ts'
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
      <Card title={texts.activity}>
        {is_available && (
          <p className="muted">
            {texts.messagesProcessedTodayMessages(formatNumber(runs_today), formatNumber(runs_per_day))}
          </p>
        )}
        <CursorList
          label={texts.agentRuns}
          list="inboxes.agent.runs.list"
          input={{ inbox }}
          columns={[
            { name: texts.actions, kind: 'main', cell: (run) => <ActsOfRun run={run} /> },
            { name: texts.status, cell: ({ status }) => <Badge word={status} tone={TONES[status]} /> },
            { name: texts.time, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: texts.thread,
              cell: ({ thread_id }) => (
                <Link to="/inboxes/$inbox" params={{ inbox }} search={{ thread: thread_id }}>
                  {texts.open}
                </Link>
              ),
            },
          ]}
          empty={
            <Empty icon="bolt" title={texts.noActivityYet}>
              <p className="muted">{texts.eachProcessedMessageAppears}</p>
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
  <Card title={texts.noModelConfigured}>
    <p>{texts.agentNeedsModelWith}</p>
    <Code label={texts.settings} text={texts.postwrenAgentUrlHttp} />
    <p className="muted">{texts.yourSettingsBelowSaved}</p>
  </Card>
)
