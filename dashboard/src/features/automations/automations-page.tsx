import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import Type, { type Static } from 'typebox'
import { AutomationItem, SYSTEM_EVENTS } from '../../../../src/features/automations/schema.ts'
import { CreateEvent } from '../../../../src/features/events/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useNewFromAddress } from '../../ui/new-from-address.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import { drawn, firstGraph, sent } from './graph.ts'
import { layOut } from './layout.ts'
import { useResources } from './resources.ts'
import { type Names, sentenceOf } from './sentences.ts'
import { texts } from './texts.ts'

/** What one begins with; the rest is drawn on its own page. */
const Beginning = Type.Object({ name: AutomationItem.properties.name, event_name: CreateEvent.properties.name })

export function AutomationsPage() {
  const [isOpen, setOpen] = useState(false)
  useNewFromAddress(() => setOpen(true))
  const navigate = useNavigate()
  const resources = useResources()
  const create = useAct({
    run: ({ name, event_name }: Static<typeof Beginning>) => {
      return call('automations.create', { body: { name, ...sent(firstGraph(event_name)) } })
    },
    refresh: ['automations'],
  })
  const duplicate = useAct({
    run: (id: string) => call('automations.duplicate', { id }),
    refresh: ['automations'],
    done: texts.duplicated,
  })
  const setStatus = useAct({
    run: ({ id, status }: { id: string; status: 'enabled' | 'disabled' }) =>
      call('automations.update', { id, body: { status } }),
    refresh: ['automations'],
    done: texts.saved,
  })
  return (
    <ResourcePage
      title={texts.automations}
      one="automation"
      icon="flow"
      about={texts.workflowsEventStartsContact}
      list="automations.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/automations/$id"
      actions={
        <Button look="primary" icon="plus" needs="automations.create" onClick={() => setOpen(true)}>
          {texts.addAutomation}
        </Button>
      }
      columns={[
        { name: texts.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.steps, kind: 'main', cell: ({ id }) => <InWords id={id} names={resources} /> },
        { name: texts.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
        { name: texts.updated, kind: 'time', cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
      acts={({ id, status }) => [
        status === 'enabled'
          ? {
              label: texts.disable,
              needs: 'automations.update',
              onChoose: () => setStatus.mutate({ id, status: 'disabled' }),
            }
          : {
              label: texts.enable,
              needs: 'automations.update',
              onChoose: () => setStatus.mutate({ id, status: 'enabled' }),
            },
        { label: texts.duplicate, needs: 'automations.duplicate', onChoose: () => duplicate.mutate(id) },
      ]}
      remove={{
        note: texts.activeRunsCancelledHistory,
        run: ({ id }) => call('automations.remove', { id }),
      }}
    >
      <Dialog title={texts.addAutomation} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SchemaForm
          shape={Beginning}
          fields={[
            { name: 'name', label: texts.name, placeholder: texts.welcomeSeries },
            {
              name: 'event_name',
              label: texts.triggerEvent,
              hint: texts.customEventEmailEvent(SYSTEM_EVENTS[0]),
              placeholder: 'user.created',
              offers: resources.events,
            },
          ]}
          act={texts.addAutomation}
          onSubmit={async (values) => {
            const { id } = await create.mutateAsync(values)
            navigate({ to: '/automations/$id', params: { id } })
          }}
        />
      </Dialog>
    </ResourcePage>
  )
}

/** More than that is for its own page. */
const IN_WORDS = 4

/** The first steps, as one would tell them. */
function InWords({ id, names }: { id: string; names: Names }) {
  const { data } = useCall('automations.get', { id })
  if (!data) return null
  const graph = drawn(data)
  const steps = layOut(graph).order.flatMap((key) => graph.steps.filter((step) => step.key === key))
  const words = steps.slice(0, IN_WORDS).map((step) => sentenceOf(step, names))
  return (
    <span className="muted">
      {words.join(' → ')}
      {steps.length > IN_WORDS && ` and ${steps.length - IN_WORDS} more`}
    </span>
  )
}
