import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateWebhook, UpdateWebhook } from '../../../../src/resources/webhooks/schema.ts'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import type { EventName, WebhookRow } from './api.ts'
import { EventChoice } from './event-choice.tsx'
import { HealthBadge, HealthNote, useHealth } from './health.tsx'

const ENDPOINT = [{ name: 'endpoint', label: 'Endpoint', placeholder: 'https://example.com/hooks/mail' }]

const FIRST_CHOICE: readonly EventName[] = ['email.delivered', 'email.bounced', 'email.complained']

export function WebhooksPage() {
  const [isOpen, setOpen] = useState(false)
  const [events, setEvents] = useState(FIRST_CHOICE)
  const navigate = useNavigate()
  const health = useHealth()
  const create = useAct({
    run: (values: object) => api.post<{ id: string }>('/webhooks', { ...values, events }),
    refresh: ['webhooks'],
    done: 'The webhook is there',
  })
  return (
    <ResourcePage<WebhookRow>
      title="Webhooks"
      one="webhook"
      icon="hook"
      about="Your program hears of what happens: each event is a signed request to an address of yours."
      path="/webhooks"
      nameOf={({ endpoint }) => endpoint}
      linkTo={({ id }) => `/webhooks/${id}`}
      actions={
        <Button look="primary" icon="plus" onClick={() => setOpen(true)}>
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
      edit={{ shape: UpdateWebhook, fields: ENDPOINT }}
      deleting="Nothing is sent to it any more, and its log is gone."
    >
      <Dialog title="Add webhook" isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <SchemaForm
          shape={CreateWebhook}
          fields={ENDPOINT}
          act="Add webhook"
          onSubmit={async (values) => {
            const { id } = await create.mutateAsync(values)
            navigate({ to: `/webhooks/${id}` })
          }}
        >
          <EventChoice chosen={events} onChange={setEvents} />
        </SchemaForm>
      </Dialog>
    </ResourcePage>
  )
}
