import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CreateWebhook, UpdateWebhook } from '../../../../src/features/webhooks/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useNewFromAddress } from '../../ui/new-from-address.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import type { EventName } from './api.ts'
import { EventChoice } from './event-choice.tsx'
import { HealthBadge, HealthNote, useHealth } from './health.tsx'
import { texts } from './texts.ts'

const ENDPOINT = [
  { name: 'endpoint', label: texts.fields.endpoint, placeholder: texts.fields.endpointPlaceholder },
] as const

const FIRST_CHOICE: readonly EventName[] = ['email.delivered', 'email.bounced', 'email.complained']

export function WebhooksPage() {
  const [isOpen, setOpen] = useState(false)
  useNewFromAddress(() => setOpen(true))
  const [events, setEvents] = useState(FIRST_CHOICE)
  const navigate = useNavigate()
  const health = useHealth()
  const create = useAct({
    run: (values: { endpoint: string }) => call('webhooks.create', { body: { ...values, events: [...events] } }),
    refresh: ['webhooks'],
    done: texts.page.created,
  })
  return (
    <ResourcePage
      title={texts.page.title}
      one={texts.page.one}
      icon="hook"
      about={texts.page.about}
      list="webhooks.list"
      input={{}}
      nameOf={({ endpoint }) => endpoint}
      pageOfOne="/webhooks/$id"
      actions={
        <Button look="primary" icon="plus" needs="webhooks.create" onClick={() => setOpen(true)}>
          {texts.page.add}
        </Button>
      }
      columns={[
        { name: texts.fields.endpoint, kind: 'title', cell: ({ endpoint }) => endpoint },
        {
          name: texts.fields.events,
          kind: 'aside',
          cell: (webhook) => webhook.events?.length ?? texts.fields.allEvents,
        },
        {
          name: texts.fields.status,
          kind: 'status',
          cell: ({ id, status }) => <HealthBadge status={status} health={health.get(id)} />,
        },
        { name: texts.fields.lastResponse, cell: ({ id }) => <HealthNote health={health.get(id)} /> },
        { name: texts.fields.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      edit={{
        shape: UpdateWebhook,
        fields: ENDPOINT,
        run: ({ id }, body) => call('webhooks.update', { id, body }),
      }}
      remove={{
        note: texts.page.removeNote,
        run: ({ id }) => call('webhooks.remove', { id }),
      }}
    >
      <Dialog title={texts.page.add} isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <SchemaForm
          shape={CreateWebhook}
          fields={ENDPOINT}
          act={texts.page.add}
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
