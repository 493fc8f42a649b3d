import { useState } from 'react'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Code, Facts } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { isAttemptPending, pollInterval } from './api.ts'
import { DeliveryState, durationText, ResponseBadge } from './delivery-state.tsx'
import '../../ui/replies.css'
import { texts } from './texts.ts'

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
    done: texts.event.replayed,
  })
  return (
    <Dialog title={shown.data?.type ?? texts.event.title} isOpen onClose={onClose} isWide>
      {shown.isPending && <Loading />}
      {shown.isError && <Failed error={shown.error} />}
      {shown.data && (
        <>
          <Facts
            facts={[
              [texts.fields.status, <DeliveryState key="status" event={shown.data} />],
              ...(shown.data.is_test ? [[texts.event.kind, texts.event.isTest] as const] : []),
              [texts.deliveries.time, <Time key="when" at={shown.data.created_at} exact />],
              ...(shown.data.next_attempt_at
                ? [[texts.nextAttempt.label, <Time key="next" at={shown.data.next_attempt_at} />] as const]
                : []),
            ]}
          />
          <h3>{texts.event.attempts}</h3>
          {attempts.data?.data.length === 0 && <p className="muted">{texts.event.noAttempts}</p>}
          <ul className="recipients">
            {attempts.data?.data.map(({ id, http_status_code, response, duration_ms, sent_at }) => (
              <li key={id}>
                <div>
                  <ResponseBadge code={http_status_code} />
                  <span className="muted">{durationText(duration_ms)}</span>
                  <Time at={sent_at} exact />
                </div>
                {response && <Code text={response} label={texts.deliveries.response} />}
              </li>
            ))}
          </ul>
          <h3>{texts.event.payload}</h3>
          <Code text={JSON.stringify(shown.data.payload, null, 2)} label={texts.event.payload} />
          <div className="actions">
            <Button
              needs="webhooks.events.replay"
              icon="send"
              isBusy={replay.isPending}
              onClick={() => replay.mutate(undefined, { onSuccess: () => setReplayedAt(Date.now()) })}
            >
              {texts.event.replay}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
