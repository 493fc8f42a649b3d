import type { UseQueryResult } from '@tanstack/react-query'
import type { Reply } from '../../api.ts'
import { Badge } from '../badge.tsx'
import { Chart } from '../chart.tsx'
import { dateFormat, formatNumber } from '../locale.ts'
import { Card } from '../page.tsx'
import type { Column } from '../row-parts.tsx'
import { Rows } from '../rows.tsx'
import { Failed, Loading } from '../states.tsx'
import { Time } from '../time.tsx'
import '../progress.css'
import './policy-activity.css'
import { texts } from './texts.ts'

/** The same of an app and of an inbox's agent. */
type Activity = Reply<'api-keys.activity'>

const DAY = dateFormat({ month: 'short', day: 'numeric', timeZone: 'UTC' })

/** What an API key, an app or an inbox's agent did: over time, what was refused, and the newest emails. */
export function PolicyActivity({ activity }: { activity: UseQueryResult<Activity> }) {
  if (activity.isPending) return <Loading />
  if (activity.isError) return <Failed error={activity.error} onRetry={() => activity.refetch()} />
  const { data, policy, hint, used, refusals, emails } = activity.data
  // What was sent without a policy is among all emails, and nobody has recorded for whom.
  if (!policy && emails.length + refusals.length === 0)
    return (
      <Card title={texts.activity.title}>
        <p className="muted">{texts.activity.notRecorded}</p>
      </Card>
    )
  const series = (name: 'emails' | 'recipients' | 'refusals' | 'held', tone: 'busy' | 'good' | 'bad' | 'warn') => ({
    ...{ name: texts.activity[name], tone },
    values: data.map((day) => day[name]),
  })
  return (
    <>
      <Card title={texts.activity.title}>
        {hint && <p role="note">{hint}</p>}
        <Limits policy={policy} used={used} />
        <Chart
          title={texts.activity.chart}
          labels={data.map(({ date }) => DAY.format(new Date(date)))}
          series={[
            series('emails', 'busy'),
            series('recipients', 'good'),
            series('held', 'warn'),
            series('refusals', 'bad'),
          ]}
        />
      </Card>
      <Card title={texts.activity.refused}>
        {refusals.length === 0 ? (
          <p className="muted">{texts.activity.noRefusals}</p>
        ) : (
          <Rows
            label={texts.activity.refused}
            columns={REFUSALS}
            items={refusals.map((one, at) => ({ ...one, id: String(at) }))}
          />
        )}
      </Card>
      <Card title={texts.activity.newest}>
        {emails.length === 0 ? (
          <p className="muted">{texts.activity.noEmails}</p>
        ) : (
          <Rows label={texts.activity.newest} columns={EMAILS} pageOfOne="/emails/$id" items={emails} />
        )}
      </Card>
    </>
  )
}

/** How much of what it may send is used. */
function Limits({ policy, used }: Pick<Activity, 'policy' | 'used'>) {
  if (!policy) return null
  const limits = [
    [texts.activity.lastHour, used.emails_last_hour, policy.max_emails_per_hour],
    [texts.activity.lastDay, used.emails_last_day, policy.max_emails_per_day],
  ] as const
  return (
    <ul className="policy-used" aria-label={texts.activity.limits}>
      {limits.map(([name, count, limit]) => (
        <li key={name}>
          <span className="muted">{name}</span>
          <strong>
            {limit === undefined
              ? texts.activity.unlimited(formatNumber(count))
              : texts.activity.usedOf(formatNumber(count), formatNumber(limit))}
          </strong>
          {limit !== undefined && (
            <progress aria-label={name} max={Math.max(1, limit)} value={Math.min(count, limit)} />
          )}
        </li>
      ))}
    </ul>
  )
}

type Refusal = Activity['refusals'][number] & { readonly id: string }
type Email = Activity['emails'][number]

const { columns } = texts.activity

const REFUSALS: readonly Column<Refusal>[] = [
  { name: columns.recipients, cell: ({ recipients }) => <Addresses addresses={recipients} /> },
  {
    name: columns.rule,
    kind: 'status',
    cell: ({ rule, is_dry_run }) => (
      <span className="policy-rule">
        <Badge word={texts.rules[rule]} tone={is_dry_run ? 'warn' : 'bad'} />
        {is_dry_run && <small className="muted">{texts.activity.wouldBeRefused}</small>}
      </span>
    ),
  },
  {
    name: columns.subject,
    kind: 'main',
    cell: ({ subject, from, samples }) => (
      <span className="policy-refused" {...(from && { title: texts.activity.from(from) })}>
        <Subject subject={subject} />
        {from && <small className="muted">{texts.activity.from(from)}</small>}
        {samples.length > 1 && <Samples samples={samples} />}
      </span>
    ),
  },
  { name: columns.count, kind: 'aside', cell: ({ emails }) => formatNumber(emails) },
  { name: columns.last, kind: 'time', cell: ({ last_at }) => <Time at={last_at} /> },
]

const EMAILS: readonly Column<Email>[] = [
  { name: columns.to, cell: ({ to }) => <Addresses addresses={to} /> },
  { name: columns.subject, kind: 'main', cell: ({ subject }) => <Subject subject={subject} /> },
  { name: columns.status, kind: 'status', cell: ({ last_event }) => <Badge word={last_event} /> },
  { name: columns.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
]

const Addresses = ({ addresses }: { addresses: readonly string[] }) => (
  <span title={addresses.join(', ')}>
    {addresses[0] ?? '–'}
    {addresses.length > 1 && (
      <span className="muted"> {texts.activity.otherRecipients(formatNumber(addresses.length - 1))}</span>
    )}
  </span>
)

/** Others of the same minute. */
const Samples = ({ samples }: Pick<Refusal, 'samples'>) => (
  <details>
    <summary>{texts.activity.samples(samples.length)}</summary>
    <ul>
      {samples.map((sample) => (
        <li key={JSON.stringify(sample)}>
          <Subject subject={sample.subject} />
          {sample.recipients.length > 0 && <small className="muted"> {sample.recipients.join(', ')}</small>}
        </li>
      ))}
    </ul>
  </details>
)

const Subject = ({ subject }: { subject: string }) =>
  subject ? <span>{subject}</span> : <span className="muted">{texts.activity.noSubject}</span>
