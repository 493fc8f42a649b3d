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
    done: texts.actions.saved,
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
      note={<Copyable text={id} what={texts.copied.id} />}
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
              {texts.actions.disable}
            </Button>
          ) : (
            <Button
              look="primary"
              needs="webhooks.update"
              isBusy={update.isPending}
              onClick={() => toggle().catch(() => {})}
            >
              {texts.actions.enable}
            </Button>
          )}
        </>
      }
    >
      <FailingCard status={status} health={health} />
      {!isOn && (
        <Card title={texts.disabled.title}>
          <p>{texts.disabled.note}</p>
        </Card>
      )}
      <Confirm
        title={texts.disableDialog.title}
        note={texts.disableDialog.note}
        act={texts.disableDialog.confirm}
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
      title={texts.fields.events}
      actions={
        <Button
          needs="webhooks.update"
          disabled={!isChanged || draft.events.length === 0}
          onClick={() => onSave(draft.events).catch(() => {})}
        >
          {texts.actions.saveEvents}
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
    done: texts.rotateDialog.done,
  })
  return (
    <Card title={texts.secret.title}>
      <p className="muted">{texts.secret.note}</p>
      {isShown && <Copyable text={secret} what={texts.copied.secret} isLong />}
      <div className="actions">
        <Button onClick={() => setShown(!isShown)}>{isShown ? texts.secret.hide : texts.secret.show}</Button>
        <Button needs="webhooks.signing-secret.rotate" onClick={() => setAsking(true)}>
          {texts.secret.rotate}
        </Button>
      </div>
      <Confirm
        title={texts.rotateDialog.title}
        note={texts.rotateDialog.note}
        act={texts.rotateDialog.confirm}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => rotate.mutateAsync()}
      />
    </Card>
  )
}
