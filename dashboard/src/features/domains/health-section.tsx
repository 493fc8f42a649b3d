import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Card } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import '../../ui/table.css'
import '../../ui/records.css'
import { texts } from './texts.ts'

const TONES: Record<string, Tone> = { ok: 'good', advice: 'warn', problem: 'bad', unknown: 'plain' }

interface Finding {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly record?: { readonly name: string; readonly type: string; readonly value: string }
  readonly since?: string
}

/** Above everything else: something in the DNS is wrong. */
export function HealthBanner({ id }: { id: string }) {
  const { data } = useCall('domains.health', { id })
  const problems = data?.findings.filter(({ status }) => status === 'problem') ?? []
  if (problems.length === 0) return null
  return (
    <p className="form-error" role="alert">
      {texts.health.banner} {problems.map(({ message }) => message).join(' ')}
    </p>
  )
}

/** What is wrong with a domain, what to change, and since when. What is right is one line. */
export function HealthSection({ id }: { id: string }) {
  const health = useCall('domains.health', { id })
  const check = useAct({
    run: () => call('domains.check', { id }),
    refresh: ['domains.health'],
    done: texts.health.started,
  })
  return (
    <Card
      title={texts.health.title}
      actions={
        <Button needs="domains.check" isBusy={check.isPending} onClick={() => check.mutate()}>
          {texts.health.check}
        </Button>
      }
    >
      {health.isPending && <Loading />}
      {health.isError && <Failed error={health.error} onRetry={() => health.refetch()} />}
      {health.data && (
        <>
          {health.data.checked_at === null ? (
            <p className="muted">{texts.health.none}</p>
          ) : (
            <p className="muted">
              <Badge word={health.data.status} tone={TONES[health.data.status] ?? 'plain'} />{' '}
              {texts.health.right(formatNumber(health.data.findings.filter(({ status }) => status === 'ok').length))}
              {' · '}
              {texts.health.checked} <Time at={health.data.checked_at} />
            </p>
          )}
          <Findings title={texts.health.title} findings={health.data.findings} />
          <Findings title={texts.health.installation} findings={health.data.installation} />
        </>
      )}
    </Card>
  )
}

function Findings({ title, findings }: { title: string; findings: readonly Finding[] }) {
  const shown = findings.filter(({ status }) => status !== 'ok')
  if (shown.length === 0) return null
  const { columns } = texts.health
  return (
    <div className="table-wrap records">
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{columns.check}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col" className="main">
              {columns.finding}
            </th>
            <th scope="col">{columns.since}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ check, status, message, record, since }) => (
            <tr key={check}>
              <td data-label={columns.check}>{check}</td>
              <td data-label={columns.status}>
                <Badge word={status} tone={TONES[status] ?? 'plain'} />
              </td>
              <td className="main" data-label={columns.finding}>
                {message}
                {record && (
                  <>
                    <br />
                    {texts.health.publish} {record.type} {record.name}{' '}
                    <Copyable text={record.value} what={texts.copied.value} />
                  </>
                )}
              </td>
              <td data-label={columns.since}>{since && <Time at={since} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
