import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateWebhook, UpdateWebhook } from '../../../../src/features/webhooks/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import type { EventName } from './api.ts'
import { EventChoice } from './event-choice.tsx'
import { HealthBadge, HealthNote, useHealth } from './health.tsx'

const ENDPOINT = [{ name: 'endpoint', label: 'Endpoint', placeholder: 'https://example.com/hooks/mail' }] as const

const FIRST_CHOICE: readonly EventName[] = ['email.delivered', 'email.bounced', 'email.complained']

export function WebhooksPage() {
  const [isOpen, setOpen] = useState(false)
  const [events, setEvents] = useState(FIRST_CHOICE)
  const navigate = useNavigate()
  const health = useHealth()
  const create = useAct({
    run: (values: { endpoint: string }) => call('webhooks.create', { body: { ...values, events: [...events] } }),
    refresh: ['webhooks'],
    done: 'The webhook is there',
  })
  return (
    <ResourcePage
      title="Webhooks"
      one="webhook"
      icon="hook"
      about="Your program hears of what happens: each event is a signed request to an address of yours."
      list="webhooks.list"
      input={{}}
      nameOf={({ endpoint }) => endpoint}
      pageOfOne="/webhooks/$id"
      actions={
        <Button look="primary" icon="plus" needs="webhooks.create" onClick={() => setOpen(true)}>
          Add webhook
        </Button>
      }
      columns={[
        { name: 'Endpoint', kind: 'main', cell: ({ endpoint }) => endpoint },
        { name: 'Events', kind: 'aside', cell: (webhook) => webhook.events?.length ?? 'all' },
        { name: 'Status', cell: ({ id, status }) => <HealthBadge status={status} health={health.get(id)} /> },
        { name: 'Last answer', cell: ({ id }) => <HealthNote health={health.get(id)} /> },
        { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      edit={{
        shape: UpdateWebhook,
        fields: ENDPOINT,
        run: ({ id }, body) => call('webhooks.update', { id, body }),
      }}
      remove={{
        note: 'Nothing is sent to it any more, and its log is gone.',
        run: ({ id }) => call('webhooks.remove', { id }),
      }}
    >
      <Dialog title="Add webhook" isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <SchemaForm
          shape={CreateWebhook}
          fields={ENDPOINT}
          act="Add webhook"
          onSubmit={async (values) => {
            const { id } = await create.mutateAsync(values)
            navigate({ to: '/webhooks/$id', params: { id } })
          }}
        >
          <EventChoice chosen={events} onChange={setEvents} />
        </SchemaForm>
      </Dialog>
    </ResourcePage>
  )
}
