import type { Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Card } from '../../ui/page.tsx'
import { rich } from '../../ui/rich.tsx'
import { Time } from '../../ui/time.tsx'
import type { WebhookRow } from './api.ts'
import { ResponseBadge } from './delivery-state.tsx'
import './health.css'
import { texts } from './texts.ts'

type Health = Reply<'webhooks.health'>['data'][number]

/** No event says that an attempt has failed, so the page polls. */
const POLL_INTERVAL_MS = 5_000

/** How each webhook is doing, by its id. */
export function useHealth(): ReadonlyMap<string, Health> {
  const { data } = useCall(
    'webhooks.health',
    {},
    { refetchInterval: ({ state }) => (state.data?.data.some(({ failed }) => failed > 0) ? POLL_INTERVAL_MS : false) },
  )
  return new Map(data?.data.map((health) => [health.id, health]))
}

const isFailing = (status: WebhookRow['status'], health: Health | undefined) =>
  status === 'enabled' && health !== undefined && health.failing_since !== null

export const HealthBadge = ({ status, health }: { status: WebhookRow['status']; health: Health | undefined }) => (
  <Badge word={isFailing(status, health) ? 'failing' : status} />
)

/** In a list: what came back last, and how much of the latest has failed. */
export function HealthNote({ health }: { health: Health | undefined }) {
  if (!health || health.last_status_code === null) return <span className="muted">–</span>
  return (
    <span className="health">
      <ResponseBadge code={health.last_status_code} />
      {health.failed > 0 && (
        <small className="muted">
          {rateOf(health)}
          {health.retries[0] && ` · ${nextAttempt(health, health.retries[0])}`}
        </small>
      )}
    </span>
  )
}

const rateOf = ({ failed, events }: Health) => texts.failing.failedOf(formatNumber(failed), formatNumber(events))

const nextAttempt = ({ max_attempts }: Health, { attempts }: Health['retries'][number]) =>
  texts.failing.attemptOf(formatNumber(attempts + 1), formatNumber(max_attempts))

/** Above everything else on the page of a webhook that nobody answers for. */
export function FailingCard({ status, health }: { status: WebhookRow['status']; health: Health | undefined }) {
  if (!health || !isFailing(status, health)) return null
  const [retry] = health.retries
  return (
    <div className="failing">
      <Card title={texts.failing.title}>
        <p>
          {rich(texts.failing.since, { time: <Time at={health.failing_since} exact /> })}{' '}
          {rich(texts.failing.recent(health.events), {
            failed: formatNumber(health.failed),
            response:
              health.last_status_code === null ? (
                texts.failing.noResponse
              ) : (
                <ResponseBadge code={health.last_status_code} />
              ),
          })}
        </p>
        <p className="muted">
          {retry && (
            <>
              {rich(texts.failing.next, {
                attempt: formatNumber(retry.attempts + 1),
                attempts: formatNumber(health.max_attempts),
                time: <Time at={retry.next_attempt_at} />,
              })}{' '}
            </>
          )}
          {texts.failing.disabledAfter}
        </p>
      </Card>
    </div>
  )
}
