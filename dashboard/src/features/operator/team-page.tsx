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
      note={<Copyable text={id} what="ID" />}
      actions={<Suspension id={id} name={name} isSuspended={suspended_at !== null} />}
    >
      {suspended_at !== null && (
        <Card title={texts.suspended}>
          <Facts
            facts={[
              [texts.since, <Time key="since" at={suspended_at} exact />],
              [texts.reason, suspended_reason],
            ]}
          />
        </Card>
      )}
      <div className="columns even">
        <Card title={texts.usage}>
          <Facts facts={factsOf(team.data)} />
        </Card>
        <Limits key={JSON.stringify(team.data.limits)} id={id} limits={team.data.limits} />
      </div>
    </Page>
  )
}

const factsOf = (team: Reply<'operator.teams.get'>) =>
  [
    [texts.emailsToday, ofLimit(team.today.sent + team.today.received, team.limits.emails_per_day)],
    [texts.emailsMonth, ofLimit(team.this_month.sent + team.this_month.received, team.limits.emails_per_month)],
    [texts.receivedToday, ofLimit(team.today.received, team.limits.received_per_day)],
    [texts.contacts, ofLimit(team.contacts, team.limits.contacts)],
    [texts.domains, ofLimit(team.domains, team.limits.domains)],
    [texts.webhooks, ofLimit(team.webhooks, team.limits.webhooks)],
    [texts.people, formatNumber(team.members)],
    [texts.created, <Time key="created" at={team.created_at} exact />],
  ] as const

const FIELDS = [
  { name: 'emails_per_day', label: texts.emailsPerDay, hint: texts.countsEachRecipientReceived },
  { name: 'emails_per_month', label: texts.emailsPerMonth },
  { name: 'recipients_per_second', label: texts.recipientsPerSecond },
  { name: 'received_per_day', label: texts.receivedPerDay },
  { name: 'contacts', label: texts.contacts },
  { name: 'domains', label: texts.domains },
  { name: 'webhooks', label: texts.webhooks },
] as const

function Limits({ id, limits }: { id: string; limits: Reply<'operator.teams.get'>['limits'] }) {
  const change = useAct({
    run: (body: Input<'operator.teams.limits'>['body']) => call('operator.teams.limits', { id, body }),
    refresh: ['operator'],
    done: texts.saved,
  })
  return (
    <Card title={texts.limits}>
      <p className="muted">{texts.emptyFieldsHaveNo}</p>
      <SchemaForm
        shape={ChangeLimits}
        fields={FIELDS}
        initial={limits}
        act={texts.save}
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
    done: texts.teamSuspended,
  })
  const lift = useAct({
    run: () => call('operator.teams.unsuspend', { id }),
    refresh: ['operator', 'team'],
    done: texts.suspensionLifted,
  })
  if (isSuspended)
    return (
      <>
        <Button onClick={() => setAsking(true)}>{texts.liftSuspension}</Button>
        <Confirm
          title={texts.liftSuspensionOf(name)}
          note={texts.queuedEmailsSentImmediately}
          act={texts.liftSuspension}
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
        {texts.suspend}
      </Button>
      <Dialog title={texts.suspendOf(name)} note={texts.apiKeysStopWorking} isOpen={isAsking} onClose={close}>
        <SchemaForm
          shape={SuspendTeam}
          fields={[{ name: 'reason', label: texts.reason, hint: texts.visibleTeam, isLong: true }]}
          act={texts.suspendTeam}
          onSubmit={(body) => suspend.mutateAsync(body).then(close)}
        />
      </Dialog>
    </>
  )
}
