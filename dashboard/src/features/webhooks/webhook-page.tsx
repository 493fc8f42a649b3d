import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { CursorList } from '../../ui/cursor-list.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { Webhook, WebhookEventRow } from './api.ts'
import { EventChoice } from './event-choice.tsx'
import { EventDialog } from './event-dialog.tsx'

export function WebhookPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const path = `/webhooks/${id}`
  const [shown, setShown] = useState<string | null>(null)
  const webhook = useQuery({ queryKey: ['webhooks', id], queryFn: () => api.get<Webhook>(path) })
  const update = useAct({ run: (values: object) => api.patch(path, values), refresh: ['webhooks'], done: 'Saved' })
  if (webhook.isPending) return <Loading />
  if (webhook.isError) return <Failed error={webhook.error} onRetry={() => webhook.refetch()} />
  const { endpoint, status, events, signing_secret } = webhook.data
  const isOn = status === 'enabled'
  return (
    <Page
      title={endpoint}
      heading={
        <>
          {endpoint} <Badge word={status} />
        </>
      }
      actions={
        <Button isBusy={update.isPending} onClick={() => update.mutate({ status: isOn ? 'disabled' : 'enabled' })}>
          {isOn ? 'Disable' : 'Enable'}
        </Button>
      }
    >
      <Card title="What was sent">
        <CursorList<WebhookEventRow>
          label="events of this webhook"
          queryKey={['webhooks', id, 'events']}
          path={`${path}/events`}
          onChoose={(event) => setShown(event.id)}
          columns={[
            { name: 'Event', kind: 'main', cell: ({ type }) => type },
            { name: 'Status', cell: (event) => <Badge word={event.status} /> },
            { name: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
          ]}
          empty={<Empty icon="hook" title="Nothing yet" />}
        />
      </Card>
      <div className="columns even">
        <Card title="Events">
          <EventChoice chosen={events ?? []} onChange={(next) => update.mutate({ events: next })} />
        </Card>
        <Secret path={path} secret={signing_secret} />
      </div>
      {shown && <EventDialog webhook={id} event={shown} onClose={() => setShown(null)} />}
    </Page>
  )
}

function Secret({ path, secret }: { path: string; secret: string }) {
  const [isShown, setShown] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const rotate = useAct({
    run: () => api.post(`${path}/signing-secret/rotate`),
    refresh: ['webhooks'],
    done: 'There is a new secret',
  })
  return (
    <Card title="Signing secret">
      <p className="muted">With it your program makes sure that a request came from here.</p>
      {isShown ? (
        <Copyable text={secret} what="the secret" isLong />
      ) : (
        <Button onClick={() => setShown(true)}>Show the secret</Button>
      )}
      <div className="actions">
        <Button onClick={() => setAsking(true)}>Rotate</Button>
      </div>
      <Confirm
        title="Make a new secret?"
        note="For 24 hours requests are signed with both, so that your program can change over."
        act="Make a new one"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => rotate.mutateAsync()}
      />
    </Card>
  )
}
