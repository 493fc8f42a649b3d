import { Link } from '@tanstack/react-router'
import { call } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CursorList } from '../../../ui/cursor-list.tsx'
import { formatNumber } from '../../../ui/locale.ts'
import { Card, Code } from '../../../ui/page.tsx'
import { PolicyActivity } from '../../../ui/policy/policy-activity.tsx'
import { PolicySection } from '../../../ui/policy/policy-section.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { ActsOfRun } from './acts-of-run.tsx'
import { AgentForm } from './agent-form.tsx'
import { texts } from './texts.ts'

/** The agent of an inbox, for a page of its own: its instructions and permissions, and what it did. Props: `inbox`, the id. */
export function AgentOfInbox({ inbox }: { inbox: string }) {
  const agent = useCall('inboxes.agent.get', { inbox })
  const activity = useCall('inboxes.agent.activity', { inbox })
  if (agent.isPending) return <Loading />
  if (agent.isError) return <Failed error={agent.error} onRetry={() => agent.refetch()} />
  const { is_available, runs_today, runs_per_day } = agent.data
  return (
    <>
      {!is_available && <NoModel />}
      <AgentForm key={inbox} inbox={inbox} agent={agent.data} />
      <PolicySection
        policy={agent.data.policy}
        needs="inboxes.agent.update"
        refresh={['inboxes.agent']}
        save={(policy) => call('inboxes.agent.update', { inbox, body: { policy } })}
      />
      <PolicyActivity activity={activity} />
      <Card title={texts.activity.title}>
        {is_available && (
          <p className="muted">{texts.activity.processedToday(formatNumber(runs_today), formatNumber(runs_per_day))}</p>
        )}
        <CursorList
          label={texts.activity.many}
          list="inboxes.agent.runs.list"
          input={{ inbox }}
          columns={[
            { name: texts.activity.actions, kind: 'main', cell: (run) => <ActsOfRun run={run} /> },
            { name: texts.activity.status, cell: ({ status }) => <Badge word={status} tone={TONES[status]} /> },
            { name: texts.activity.time, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              name: texts.activity.thread,
              cell: ({ thread_id }) => (
                <Link to="/inboxes/$inbox" params={{ inbox }} search={{ thread: thread_id }}>
                  {texts.activity.openThread}
                </Link>
              ),
            },
          ]}
          empty={
            <Empty icon="bolt" title={texts.activity.empty}>
              <p className="muted">{texts.activity.emptyNote}</p>
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
  <Card title={texts.noModel.title}>
    <p>{texts.noModel.note}</p>
    <Code label={texts.noModel.settings} text={texts.noModel.variables} />
    <p className="muted">{texts.noModel.privacy}</p>
  </Card>
)
