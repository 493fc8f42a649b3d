import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { type EventName, isAttemptPending, pollInterval } from './api.ts'
import { EventChoice } from './event-choice.tsx'
import { EventDialog } from './event-dialog.tsx'
import { FailingCard, HealthBadge, RetryNote, useHealth } from './health.tsx'

export function WebhookPage() {
  const { id } = useParams({ from: '/webhooks/$id' })
  const [isAsking, setAsking] = useState(false)
  const health = useHealth().get(id)
  const webhook = useCall('webhooks.get', { id })
  const update = useAct({
    run: (body: Input<'webhooks.update'>['body']) => call('webhooks.update', { id, body }),
    refresh: ['webhooks'],
    done: 'Saved',
  })
  if (webhook.isPending) return <Loading />
  if (webhook.isError) return <Failed error={webhook.error} onRetry={() => webhook.refetch()} />
  const { endpoint, status, events, signing_secret } = webhook.data
  const isOn = status === 'enabled'
  const toggle = () => update.mutateAsync({ status: isOn ? 'disabled' : 'enabled' })
  return (
    <Page
      title={endpoint}
      heading={
        <>
          {endpoint} <HealthBadge status={status} health={health} />
        </>
      }
      note={<Copyable text={id} what="ID" />}
      actions={
        <Button
          needs="webhooks.update"
          isBusy={update.isPending}
          onClick={() => (isOn ? setAsking(true) : toggle().catch(() => {}))}
        >
          {isOn ? 'Disable' : 'Enable'}
        </Button>
      }
    >
      <FailingCard status={status} health={health} />
      <Confirm
        title="Disable this webhook?"
        note="Events that occur while it is disabled are not delivered, not even later."
        act="Disable webhook"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={toggle}
      />
      <Deliveries id={id} health={health} />
      <div className="columns even">
        <Choice key={id} events={events ?? []} onSave={(next) => update.mutateAsync({ events: next })} />
        <Secret webhook={id} secret={signing_secret} />
      </div>
    </Page>
  )
}

/** The log. The event that is looked at is in the address, so that it can be passed on. */
function Deliveries({ id, health }: { id: string; health: ReturnType<ReturnType<typeof useHealth>['get']> }) {
  const { event: shown } = useSearch({ from: '/webhooks/$id' })
  const navigate = useNavigate()
  const show = (event: string | undefined) =>
    navigate({ to: '/webhooks/$id', params: { id }, search: (old) => ({ ...old, event }) })
  return (
    <Card title="Deliveries">
      <CursorList
        label="deliveries"
        list="webhooks.events.list"
        input={{ id }}
        onChoose={(event) => show(event.id)}
        refetchInterval={(events) => pollInterval(events.some(isAttemptPending))}
        columns={[
          { name: 'Event', kind: 'main', cell: ({ type }) => type },
          {
            name: 'Status',
            cell: (event) => (
              <>
                <Badge word={event.status} /> <RetryNote health={health} event={event} />
              </>
            ),
          },
          { name: 'Time', cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        empty={
          <Empty icon="hook" title="No deliveries yet">
            <p className="muted">Events selected below appear here, with each delivery attempt.</p>
          </Empty>
        }
      />
      {shown && <EventDialog webhook={id} event={shown} onClose={() => show(undefined)} />}
    </Card>
  )
}

interface ChoiceProps {
  readonly events: readonly EventName[]
  readonly onSave: (events: EventName[]) => Promise<unknown>
}

function Choice({ events, onSave }: ChoiceProps) {
  const { draft, isChanged, change } = useDraft({ events: events.toSorted() })
  return (
    <Card
      title="Events"
      actions={
        <Button
          needs="webhooks.update"
          disabled={!isChanged || draft.events.length === 0}
          onClick={() => onSave(draft.events).catch(() => {})}
        >
          Save
        </Button>
      }
    >
      <EventChoice isTitled chosen={draft.events} onChange={(next) => change({ events: next.toSorted() })} />
    </Card>
  )
}

function Secret({ webhook, secret }: { webhook: string; secret: string }) {
  const [isShown, setShown] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const rotate = useAct({
    run: () => call('webhooks.signing-secret.rotate', { id: webhook }),
    refresh: ['webhooks'],
    done: 'Signing secret rotated',
  })
  return (
    <Card title="Signing secret">
      <p className="muted">Use it to verify that a request was sent by Postwren.</p>
      {isShown && <Copyable text={secret} what="secret" isLong />}
      <div className="actions">
        <Button onClick={() => setShown(!isShown)}>{isShown ? 'Hide secret' : 'Show secret'}</Button>
        <Button needs="webhooks.signing-secret.rotate" onClick={() => setAsking(true)}>
          Rotate
        </Button>
      </div>
      <Confirm
        title="Rotate the signing secret?"
        note="For 24 hours, requests are signed with both the old and the new secret."
        act="Rotate secret"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => rotate.mutateAsync()}
      />
    </Card>
  )
}
