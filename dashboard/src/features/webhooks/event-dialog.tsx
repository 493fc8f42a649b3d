import { useState } from 'react'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Code, Facts } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { isAttemptPending, pollInterval } from './api.ts'
import '../../ui/replies.css'

/** One event: what was sent, and what the other side answered each time. */
export function EventDialog({ webhook, event, onClose }: { webhook: string; event: string; onClose: () => void }) {
  const input = { id: webhook, eventId: event }
  const [replayedAt, setReplayedAt] = useState(0)
  const shown = useCall('webhooks.events.get', input, {
    refetchInterval: ({ state }) => pollInterval(state.data && isAttemptPending(state.data), replayedAt),
  })
  const attempts = useCall(
    'webhooks.events.attempts.list',
    { ...input, limit: 100 },
    { refetchInterval: () => pollInterval(shown.data && isAttemptPending(shown.data), replayedAt) },
  )
  const replay = useAct({
    run: () => call('webhooks.events.replay', input),
    refresh: ['webhooks'],
    done: 'Queued for redelivery',
  })
  return (
    <Dialog title={shown.data?.type ?? 'Event'} isOpen onClose={onClose} isWide>
      {shown.isPending && <Loading />}
      {shown.isError && <Failed error={shown.error} />}
      {shown.data && (
        <>
          <Facts
            facts={[
              ['Status', <Badge key="status" word={shown.data.status} />],
              ['Time', <Time key="when" at={shown.data.created_at} exact />],
              ...(shown.data.next_attempt_at
                ? [['Next attempt', <Time key="next" at={shown.data.next_attempt_at} />] as const]
                : []),
            ]}
          />
          <h3>Attempts</h3>
          {attempts.data?.data.length === 0 && <p className="muted">No attempts yet.</p>}
          <ul className="recipients">
            {attempts.data?.data.map(({ id, http_status_code, response, sent_at }) => (
              <li key={id}>
                <div>
                  <Badge
                    word={http_status_code === 0 ? 'no response' : String(http_status_code)}
                    tone={http_status_code >= 200 && http_status_code < 300 ? 'good' : 'bad'}
                  />
                  <Time at={sent_at} exact />
                </div>
                {response && <Code text={response} label="Response" />}
              </li>
            ))}
          </ul>
          <h3>Payload</h3>
          <Code text={JSON.stringify(shown.data.payload, null, 2)} label="Payload" />
          <div className="actions">
            <Button
              needs="webhooks.events.replay"
              icon="send"
              isBusy={replay.isPending}
              onClick={() => replay.mutate(undefined, { onSuccess: () => setReplayedAt(Date.now()) })}
            >
              Replay
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
