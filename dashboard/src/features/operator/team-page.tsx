import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ChangeLimits, SuspendTeam } from '../../../../src/features/operator/schema.ts'
import { call, type Input, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ofLimit, TeamState } from './state.tsx'
import { texts } from './texts.ts'

/** One team as the operator sees it: what it uses, what it may, and whether it may at all. */
export function TeamPage() {
  const { id } = useParams({ from: '/operator/$id' })
  const team = useCall('operator.teams.get', { id })
  if (team.isPending) return <Loading />
  if (team.isError) return <Failed error={team.error} onRetry={() => team.refetch()} />
  const { name, suspended_at, suspended_reason, delete_at } = team.data
  return (
    <Page
      title={name}
      heading={
        <>
          {name} <TeamState suspended_at={suspended_at} delete_at={delete_at} />
        </>
      }
      note={<Copyable text={id} what={texts.copiedId} />}
      actions={<Suspension id={id} name={name} isSuspended={suspended_at !== null} />}
    >
      {suspended_at !== null && (
        <Card title={texts.suspended.title}>
          <Facts
            facts={[
              [texts.suspended.since, <Time key="since" at={suspended_at} exact />],
              [texts.suspended.reason, suspended_reason],
            ]}
          />
        </Card>
      )}
      <div className="columns even">
        <Card title={texts.usage.title}>
          <Facts facts={factsOf(team.data)} />
        </Card>
        <Limits key={JSON.stringify(team.data.limits)} id={id} limits={team.data.limits} />
      </div>
    </Page>
  )
}

const factsOf = (team: Reply<'operator.teams.get'>) =>
  [
    [texts.usage.emailsToday, ofLimit(team.today.sent + team.today.received, team.limits.emails_per_day)],
    [
      texts.usage.emailsThisMonth,
      ofLimit(team.this_month.sent + team.this_month.received, team.limits.emails_per_month),
    ],
    [texts.usage.receivedToday, ofLimit(team.today.received, team.limits.received_per_day)],
    [texts.usage.contacts, ofLimit(team.contacts, team.limits.contacts)],
    [texts.usage.domains, ofLimit(team.domains, team.limits.domains)],
    [texts.usage.webhooks, ofLimit(team.webhooks, team.limits.webhooks)],
    [texts.usage.people, formatNumber(team.members)],
    [texts.usage.created, <Time key="created" at={team.created_at} exact />],
  ] as const

const FIELDS = [
  { name: 'emails_per_day', label: texts.limits.emailsPerDay, hint: texts.limits.emailsPerDayHint },
  { name: 'emails_per_month', label: texts.limits.emailsPerMonth },
  { name: 'recipients_per_second', label: texts.limits.recipientsPerSecond },
  { name: 'received_per_day', label: texts.limits.receivedPerDay },
  { name: 'contacts', label: texts.usage.contacts },
  { name: 'domains', label: texts.usage.domains },
  { name: 'webhooks', label: texts.usage.webhooks },
] as const

function Limits({ id, limits }: { id: string; limits: Reply<'operator.teams.get'>['limits'] }) {
  const change = useAct({
    run: (body: Input<'operator.teams.limits'>['body']) => call('operator.teams.limits', { id, body }),
    refresh: ['operator'],
    done: texts.limits.saved,
  })
  return (
    <Card title={texts.limits.title}>
      <p className="muted">{texts.limits.note}</p>
      <SchemaForm
        shape={ChangeLimits}
        fields={FIELDS}
        initial={limits}
        act={texts.limits.save}
        onSubmit={(values) => change.mutateAsync(values)}
      />
    </Card>
  )
}

function Suspension({ id, name, isSuspended }: { id: string; name: string; isSuspended: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const close = () => setAsking(false)
  const suspend = useAct({
    run: (body: Input<'operator.teams.suspend'>['body']) => call('operator.teams.suspend', { id, body }),
    refresh: ['operator', 'team'],
    done: texts.suspendDialog.done,
  })
  const lift = useAct({
    run: () => call('operator.teams.unsuspend', { id }),
    refresh: ['operator', 'team'],
    done: texts.liftDialog.done,
  })
  if (isSuspended)
    return (
      <>
        <Button onClick={() => setAsking(true)}>{texts.liftDialog.confirm}</Button>
        <Confirm
          title={texts.liftDialog.title(name)}
          note={texts.liftDialog.note}
          act={texts.liftDialog.confirm}
          look="primary"
          isOpen={isAsking}
          onClose={close}
          onConfirm={() => lift.mutateAsync()}
        />
      </>
    )
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {texts.suspendDialog.open}
      </Button>
      <Dialog title={texts.suspendDialog.title(name)} note={texts.suspendDialog.note} isOpen={isAsking} onClose={close}>
        <SchemaForm
          shape={SuspendTeam}
          fields={[
            { name: 'reason', label: texts.suspendDialog.reason, hint: texts.suspendDialog.reasonHint, isLong: true },
          ]}
          act={texts.suspendDialog.confirm}
          onSubmit={(body) => suspend.mutateAsync(body).then(close)}
        />
      </Dialog>
    </>
  )
}
