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
import { formatNumber } from '../../ui/locale.ts'
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
    done: texts.actions.duplicated,
  })
  const setStatus = useAct({
    run: ({ id, status }: { id: string; status: 'enabled' | 'disabled' }) =>
      call('automations.update', { id, body: { status } }),
    refresh: ['automations'],
    done: texts.list.saved,
  })
  return (
    <ResourcePage
      title={texts.list.title}
      one={texts.list.one}
      icon="flow"
      about={texts.list.about}
      list="automations.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/automations/$id"
      actions={
        <Button look="primary" icon="plus" needs="automations.create" onClick={() => setOpen(true)}>
          {texts.createDialog.open}
        </Button>
      }
      columns={[
        { name: texts.list.columns.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.list.columns.steps, kind: 'main', cell: ({ id }) => <InWords id={id} names={resources} /> },
        { name: texts.list.columns.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
        { name: texts.list.columns.updated, kind: 'time', cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
      acts={({ id, status }) => [
        status === 'enabled'
          ? {
              label: texts.actions.disable,
              needs: 'automations.update',
              onChoose: () => setStatus.mutate({ id, status: 'disabled' }),
            }
          : {
              label: texts.actions.enable,
              needs: 'automations.update',
              onChoose: () => setStatus.mutate({ id, status: 'enabled' }),
            },
        { label: texts.actions.duplicate, needs: 'automations.duplicate', onChoose: () => duplicate.mutate(id) },
      ]}
      remove={{
        note: texts.deleteDialog.note,
        run: ({ id }) => call('automations.remove', { id }),
      }}
    >
      <Dialog title={texts.createDialog.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SchemaForm
          shape={Beginning}
          fields={[
            { name: 'name', label: texts.createDialog.name.label, placeholder: texts.createDialog.name.placeholder },
            {
              name: 'event_name',
              label: texts.createDialog.event.label,
              hint: texts.createDialog.event.hint(SYSTEM_EVENTS[0]),
              placeholder: texts.createDialog.event.placeholder,
              offers: resources.events,
            },
          ]}
          act={texts.createDialog.submit}
          onSubmit={async (values) => {
            const { id } = await create.mutateAsync(values)
            navigate({ to: '/automations/$id', params: { id } })
          }}
        />
      </Dialog>
    </ResourcePage>
  )
}

/** The page of the automation has all of them. */
const MAX_STEPS_SHOWN = 4

/** The first steps, in a sentence each. */
function InWords({ id, names }: { id: string; names: Names }) {
  const { data } = useCall('automations.get', { id })
  if (!data) return null
  const graph = drawn(data)
  const steps = layOut(graph).order.flatMap((key) => graph.steps.filter((step) => step.key === key))
  const first = steps
    .slice(0, MAX_STEPS_SHOWN)
    .map((step) => sentenceOf(step, names))
    .join(' → ')
  const more = steps.length - MAX_STEPS_SHOWN
  return <span className="muted">{more > 0 ? texts.list.andMoreSteps(first, formatNumber(more)) : first}</span>
}
