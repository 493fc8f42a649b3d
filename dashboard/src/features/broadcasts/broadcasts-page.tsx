import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import Type, { type Static } from 'typebox'
import { BroadcastItem, CreateBroadcast } from '../../../../src/features/broadcasts/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Time } from '../../ui/time.tsx'
import { FIRST_HTML } from './api.ts'

const { from, subject } = CreateBroadcast.properties

/** What a draft needs; the rest is written on its own page. */
const Beginning = Type.Object({
  name: BroadcastItem.properties.name,
  segment_id: BroadcastItem.properties.segment_id,
  from,
  subject,
})

export function BroadcastsPage() {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const segments = useChoices('segments.list')
  const create = useAct({
    run: (values: Static<typeof Beginning>) => call('broadcasts.create', { body: { ...values, html: FIRST_HTML } }),
    refresh: ['broadcasts'],
  })
  const nameOfSegment = (id: string) => segments.find(({ value }) => value === id)?.label ?? ''
  return (
    <ResourcePage
      title="Broadcasts"
      one="broadcast"
      icon="megaphone"
      about="One email to everybody in a segment, each with their own name in it."
      list="broadcasts.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/broadcasts/$id"
      actions={
        <Button look="primary" icon="plus" needs="broadcasts.create" onClick={() => setOpen(true)}>
          Write a broadcast
        </Button>
      }
      columns={[
        { name: 'Name', kind: 'main', cell: ({ name }) => name },
        { name: 'Segment', cell: ({ segment_id }) => nameOfSegment(segment_id) },
        { name: 'Status', cell: ({ status }) => <Badge word={status} /> },
        {
          name: 'When',
          kind: 'aside',
          cell: ({ sent_at, scheduled_at, created_at }) => <Time at={sent_at ?? scheduled_at ?? created_at} />,
        },
      ]}
      remove={{
        note: 'Its content is gone. Only drafts can be deleted.',
        run: ({ id }) => call('broadcasts.remove', { id }),
      }}
    >
      <Dialog title="Write a broadcast" isOpen={isOpen} onClose={() => setOpen(false)}>
        <SchemaForm
          shape={Beginning}
          fields={[
            { name: 'name', label: 'Name', hint: 'For you; recipients do not see it.' },
            { name: 'segment_id', label: 'To the segment', options: segments },
            { name: 'from', label: 'From', placeholder: 'Name <news@example.com>' },
            { name: 'subject', label: 'Subject' },
          ]}
          act="Go on"
          keepAs="broadcast"
          onSubmit={async (values) => {
            const { id } = await create.mutateAsync(values)
            navigate({ to: '/broadcasts/$id', params: { id } })
          }}
        />
      </Dialog>
    </ResourcePage>
  )
}
