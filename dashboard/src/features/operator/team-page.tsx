import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ChangeLimits, SuspendTeam } from '../../../../src/features/operator/schema.ts'
import { call, type Input, type Reply } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Card, Facts, Page } from '../../ui/page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ofLimit, TeamState } from './state.tsx'

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
      note={<Copyable text={id} what="the id" />}
      actions={<Suspension id={id} name={name} isSuspended={suspended_at !== null} />}
    >
      {suspended_at !== null && (
        <Card title="Suspended">
          <Facts
            facts={[
              ['Since', <Time key="since" at={suspended_at} exact />],
              ['Reason', suspended_reason],
            ]}
          />
        </Card>
      )}
      <div className="columns even">
        <Card title="Usage">
          <Facts facts={factsOf(team.data)} />
        </Card>
        <Limits key={JSON.stringify(team.data.limits)} id={id} limits={team.data.limits} />
      </div>
    </Page>
  )
}

const factsOf = (team: Reply<'operator.teams.get'>) =>
  [
    ['Emails today', ofLimit(team.today.sent + team.today.received, team.limits.emails_per_day)],
    ['Emails this month', ofLimit(team.this_month.sent + team.this_month.received, team.limits.emails_per_month)],
    ['Received today', ofLimit(team.today.received, team.limits.received_per_day)],
    ['Contacts', ofLimit(team.contacts, team.limits.contacts)],
    ['Domains', ofLimit(team.domains, team.limits.domains)],
    ['Webhooks', ofLimit(team.webhooks, team.limits.webhooks)],
    ['People', team.members.toLocaleString('en')],
    ['Created', <Time key="created" at={team.created_at} exact />],
  ] as const

const FIELDS = [
  { name: 'emails_per_day', label: 'Emails a day', hint: 'Every recipient counts, and received mail, too.' },
  { name: 'emails_per_month', label: 'Emails a month' },
  { name: 'recipients_per_second', label: 'Recipients a second' },
  { name: 'received_per_day', label: 'Received a day' },
  { name: 'contacts', label: 'Contacts' },
  { name: 'domains', label: 'Domains' },
  { name: 'webhooks', label: 'Webhooks' },
] as const

function Limits({ id, limits }: { id: string; limits: Reply<'operator.teams.get'>['limits'] }) {
  const change = useAct({
    run: (body: Input<'operator.teams.limits'>['body']) => call('operator.teams.limits', { id, body }),
    refresh: ['operator'],
    done: 'Saved',
  })
  return (
    <Card title="Limits">
      <p className="muted">What is left empty has no limit.</p>
      <SchemaForm
        shape={ChangeLimits}
        fields={FIELDS}
        initial={limits}
        act="Save"
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
    done: 'The team is suspended',
  })
  const lift = useAct({
    run: () => call('operator.teams.unsuspend', { id }),
    refresh: ['operator', 'team'],
    done: 'The team is active again',
  })
  if (isSuspended)
    return (
      <>
        <Button onClick={() => setAsking(true)}>Lift the suspension</Button>
        <Confirm
          title={`Let “${name}” send again?`}
          note="What has waited leaves at once."
          act="Lift the suspension"
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
        Suspend
      </Button>
      <Dialog
        title={`Suspend “${name}”?`}
        note="Its keys are refused, its people can only look, and its mail waits. Mail for it is still taken in."
        isOpen={isAsking}
        onClose={close}
      >
        <SchemaForm
          shape={SuspendTeam}
          fields={[{ name: 'reason', label: 'Reason', hint: 'The people of the team read it.', isLong: true }]}
          act="Suspend the team"
          onSubmit={(body) => suspend.mutateAsync(body).then(close)}
        />
      </Dialog>
    </>
  )
}
