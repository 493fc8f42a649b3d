import { useCall } from '../../../queries.ts'
import { useIsAllowed } from '../../../ui/allowed.tsx'
import { Icon } from '../../../ui/icons.tsx'
import { Time } from '../../../ui/time.tsx'
import { ActsOfRun } from './acts-of-run.tsx'
import './agent-acts.css'
import { texts } from './texts.ts'

/** More than a thread has in a day. */
const SHOWN = 20

/**
 * What the agent did in a thread, for the conversation. Shows nothing where it did nothing. Props: `inbox` and `thread`, ids; `email`, if
 * it is only about one message.
 */
export function AgentActs({ inbox, thread, email }: { inbox: string; thread: string; email?: string }) {
  const mayLook = useIsAllowed('inboxes.agent.runs.list')
  const input = { inbox, thread_id: thread, limit: SHOWN }
  const found = useCall('inboxes.agent.runs.list', input, { enabled: mayLook })
  const runs = (found.data?.data ?? []).filter(
    (run) => run.acts.length > 0 && (email === undefined || run.email_id === email),
  )
  if (runs.length === 0) return null
  return (
    <section className="agent-of-thread" aria-label={texts.actsLabel}>
      {runs.toReversed().map((run) => (
        <div key={run.id}>
          <header>
            <Icon name="bolt" size={14} /> <strong>{texts.name}</strong> <Time at={run.created_at} />
          </header>
          <ActsOfRun run={run} />
        </div>
      ))}
    </section>
  )
}
