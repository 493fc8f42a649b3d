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
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import { drawn, firstGraph, sent } from './graph.ts'
import { useKnown } from './knowledge.ts'
import { layOut } from './layout.ts'
import { type Names, sentenceOf } from './sentences.ts'

/** What one begins with; the rest is drawn on its own page. */
const Beginning = Type.Object({ name: AutomationItem.properties.name, event_name: CreateEvent.properties.name })

export function AutomationsPage() {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const known = useKnown()
  const create = useAct({
    run: ({ name, event_name }: Static<typeof Beginning>) => {
      return call('automations.create', { body: { name, ...sent(firstGraph(event_name)) } })
    },
    refresh: ['automations'],
  })
  const duplicate = useAct({
    run: (id: string) => call('automations.duplicate', { id }),
    refresh: ['automations'],
    done: 'A copy is there',
  })
  const setStatus = useAct({
    run: ({ id, status }: { id: string; status: 'enabled' | 'disabled' }) =>
      call('automations.update', { id, body: { status } }),
    refresh: ['automations'],
    done: 'Done',
  })
  return (
    <ResourcePage
      title="Automations"
      one="automation"
      icon="flow"
      about="What happens after an event, step by step, for the contact whom it is about: emails, waits, decisions."
      list="automations.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/automations/$id"
      actions={
        <Button look="primary" icon="plus" needs="automations.create" onClick={() => setOpen(true)}>
          Add automation
        </Button>
      }
      columns={[
        { name: 'Name', cell: ({ name }) => name },
        { name: 'Steps', kind: 'main', cell: ({ id }) => <InWords id={id} names={known} /> },
        { name: 'Status', cell: ({ status }) => <Badge word={status} /> },
        { name: 'Changed', kind: 'aside', cell: ({ updated_at }) => <Time at={updated_at} /> },
      ]}
      acts={({ id, status }) => [
        status === 'enabled'
          ? {
              label: 'Disable',
              needs: 'automations.update',
              onChoose: () => setStatus.mutate({ id, status: 'disabled' }),
            }
          : {
              label: 'Enable',
              needs: 'automations.update',
              onChoose: () => setStatus.mutate({ id, status: 'enabled' }),
            },
        { label: 'Duplicate', needs: 'automations.duplicate', onChoose: () => duplicate.mutate(id) },
      ]}
      remove={{
        note: 'Runs that are under way are cancelled, and what is known of all its runs is gone.',
        run: ({ id }) => call('automations.remove', { id }),
      }}
    >
      <Dialog title="Add automation" isOpen={isOpen} onClose={() => setOpen(false)}>
        <SchemaForm
          shape={Beginning}
          fields={[
            { name: 'name', label: 'Name', placeholder: 'Welcome series' },
            {
              name: 'event_name',
              label: 'Starts with the event',
              hint: `One of yours, or what happens to an email: ${SYSTEM_EVENTS[0]}.`,
              placeholder: 'user.created',
              offers: known.events,
            },
          ]}
          act="Add automation"
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
