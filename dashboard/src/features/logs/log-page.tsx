import { useParams } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Copyable } from '../../ui/copy.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Card, Code, Facts, Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ActorName } from './actor-name.tsx'
import { SubjectLink, subjectOf } from './log-links.tsx'
import { StatusCode } from './status-code.tsx'
import { texts } from './texts.ts'

export function LogPage() {
  const { id } = useParams({ from: '/logs/$id' })
  const log = useCall('logs.get', { logId: id })
  if (log.isPending) return <Loading />
  if (log.isError) return <Failed error={log.error} onRetry={() => log.refetch()} />
  const subject = subjectOf(log.data)
  const {
    method,
    endpoint,
    response_status,
    duration_ms,
    user_agent,
    ip_address,
    actor,
    created_at,
    request_body,
    response_body,
  } = log.data
  return (
    <Page title={`${method} ${endpoint}`}>
      <Facts
        facts={[
          [texts.fields.status, <StatusCode key="status" code={response_status} />],
          ...(subject ? [[texts.fields.object, <SubjectLink key="object" subject={subject} />] as const] : []),
          [
            texts.fields.duration,
            duration_ms === null ? texts.notRecorded : texts.milliseconds(formatNumber(duration_ms)),
          ],
          [texts.fields.time, <Time key="when" at={created_at} exact />],
          [texts.fields.actor, <ActorName key="who" actor={actor} />],
          [texts.fields.ipAddress, ip_address ?? texts.notRecorded],
          [texts.fields.client, user_agent ?? texts.unknownClient],
          [texts.fields.requestId, <Copyable key="id" text={id} what={texts.copiedId} />],
        ]}
      />
      <Card title={texts.fields.request}>
        <Body value={request_body} label={texts.fields.requestBody} />
      </Card>
      <Card title={texts.fields.response}>
        <Body value={response_body} label={texts.fields.responseBody} />
      </Card>
    </Page>
  )
}

const Body = ({ value, label }: { value: unknown; label: string }) =>
  value === null || value === undefined ? (
    <p className="muted">{texts.noBody}</p>
  ) : (
    <Code text={JSON.stringify(value, null, 2)} label={label} />
  )
