import { useParams } from '@tanstack/react-router'
import { useCall } from '../../queries.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Card, Code, Facts, Page } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ActorName } from './actor-name.tsx'
import { StatusCode } from './status-code.tsx'

export function LogPage() {
  const { id } = useParams({ from: '/logs/$id' })
  const log = useCall('logs.get', { logId: id })
  if (log.isPending) return <Loading />
  if (log.isError) return <Failed error={log.error} onRetry={() => log.refetch()} />
  const { method, endpoint, response_status, user_agent, ip_address, actor, created_at, request_body, response_body } =
    log.data
  return (
    <Page title={`${method} ${endpoint}`}>
      <Facts
        facts={[
          ['Status', <StatusCode key="status" code={response_status} />],
          ['Time', <Time key="when" at={created_at} exact />],
          ['Actor', <ActorName key="who" actor={actor} />],
          ['IP address', ip_address ?? 'not recorded'],
          ['Client', user_agent ?? 'unknown'],
          ['Request ID', <Copyable key="id" text={id} what="request ID" />],
        ]}
      />
      <Card title="Request">
        <Body value={request_body} label="Request body" />
      </Card>
      <Card title="Response">
        <Body value={response_body} label="Response body" />
      </Card>
    </Page>
  )
}

const Body = ({ value, label }: { value: unknown; label: string }) =>
  value === null || value === undefined ? (
    <p className="muted">No body, or not stored (lists and files).</p>
  ) : (
    <Code text={JSON.stringify(value, null, 2)} label={label} />
  )
