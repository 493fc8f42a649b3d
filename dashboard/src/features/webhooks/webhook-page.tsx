import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type Input } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Card, Page } from '../../ui/page.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import type { EventName } from './api.ts'
import { Deliveries } from './deliveries.tsx'
import { EventChoice } from './event-choice.tsx'
import { FailingCard, HealthBadge, useHealth } from './health.tsx'
import { texts } from './texts.ts'
import { VerifyCode } from './verify-code.tsx'
import { SendTest } from './webhook-actions.tsx'

export function WebhookPage() {
  const { id } = useParams({ from: '/webhooks/$id' })
  const [isAsking, setAsking] = useState(false)
  const health = useHealth().get(id)
  const { choose } = useSearchParams()
  const webhook = useCall('webhooks.get', { id })
  const update = useAct({
    run: (body: Input<'webhooks.update'>['body']) => call('webhooks.update', { id, body }),
    refresh: ['webhooks'],
    done: texts.saved,
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
        <>
          <SendTest
            key={id}
            webhook={id}
            events={events ?? []}
            isEnabled={isOn}
            onSent={(event) => choose({ event, status: undefined, type: undefined })}
          />
          {isOn ? (
            <Button needs="webhooks.update" isBusy={update.isPending} onClick={() => setAsking(true)}>
              {texts.disable}
            </Button>
          ) : (
            <Button
              look="primary"
              needs="webhooks.update"
              isBusy={update.isPending}
              onClick={() => toggle().catch(() => {})}
            >
              {texts.enable}
            </Button>
          )}
        </>
      }
    >
      <FailingCard status={status} health={health} />
      {!isOn && (
        <Card title={texts.webhookDisabled}>
          <p>{texts.noEventsDeliveredWebhook}</p>
        </Card>
      )}
      <Confirm
        title={texts.disableWebhook}
        note={texts.eventsOccurWhileDisabled}
        act={texts.disableWebhook2}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={toggle}
      />
      <Deliveries webhook={id} isEnabled={isOn} />
      <div className="columns even">
        <Choice key={id} events={events ?? []} onSave={(next) => update.mutateAsync({ events: next })} />
        <div className="stack">
          <Secret webhook={id} secret={signing_secret} />
          <VerifyCode />
        </div>
      </div>
    </Page>
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
      title={texts.events}
      actions={
        <Button
          needs="webhooks.update"
          disabled={!isChanged || draft.events.length === 0}
          onClick={() => onSave(draft.events).catch(() => {})}
        >
          {texts.save}
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
    done: texts.signingSecretRotated,
  })
  return (
    <Card title={texts.signingSecret}>
      <p className="muted">{texts.useVerifyRequestWas}</p>
      {isShown && <Copyable text={secret} what="secret" isLong />}
      <div className="actions">
        <Button onClick={() => setShown(!isShown)}>{isShown ? texts.hideSecret : texts.showSecret}</Button>
        <Button needs="webhooks.signing-secret.rotate" onClick={() => setAsking(true)}>
          {texts.rotate}
        </Button>
      </div>
      <Confirm
        title={texts.rotateSigningSecret}
        note={texts.n24HoursRequestsSigned}
        act={texts.rotateSecret}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => rotate.mutateAsync()}
      />
    </Card>
  )
}
