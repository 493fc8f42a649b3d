import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import Type, { type Static } from 'typebox'
import {
  BROADCAST_OPERATORS,
  BroadcastItem,
  CreateBroadcast,
  STATUSES,
} from '../../../../src/features/broadcasts/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FROM, SEARCHED_PERIOD, SUBJECT, statusField } from '../../ui/filter-fields.ts'
import { type Filters, searchInput } from '../../ui/filter-values.ts'
import { useNewFromAddress } from '../../ui/new-from-address.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { useSearchParams } from '../../ui/search-params.ts'
import { Time } from '../../ui/time.tsx'
import { FIRST_HTML } from './api.ts'
import { texts } from './texts.ts'

const { from, subject } = CreateBroadcast.properties

/** What a draft needs; the rest is written on its own page. */
const Beginning = Type.Object({
  name: BroadcastItem.properties.name,
  segment_id: BroadcastItem.properties.segment_id,
  from,
  subject,
})

const FILTERS: Filters = {
  search: { word: 'q', label: texts.search, operators: BROADCAST_OPERATORS },
  fields: [statusField(STATUSES), FROM, SUBJECT, SEARCHED_PERIOD],
}

export function BroadcastsPage() {
  const [isOpen, setOpen] = useState(false)
  useNewFromAddress(() => setOpen(true))
  const { q } = useSearchParams().words
  const navigate = useNavigate()
  const segments = useChoices('segments.list')
  const create = useAct({
    run: (values: Static<typeof Beginning>) => call('broadcasts.create', { body: { ...values, html: FIRST_HTML } }),
    refresh: ['broadcasts'],
  })
  const nameOfSegment = (id: string) => segments.find(({ value }) => value === id)?.label ?? ''
  return (
    <ResourcePage
      title={texts.title}
      one={texts.one}
      icon="megaphone"
      about={texts.about}
      list="broadcasts.list"
      input={{ q: searchInput(q) }}
      filterBar={FILTERS}
      nameOf={({ name }) => name}
      pageOfOne="/broadcasts/$id"
      actions={
        <Button look="primary" icon="plus" needs="broadcasts.create" onClick={() => setOpen(true)}>
          {texts.createDialog.open}
        </Button>
      }
      columns={[
        { name: texts.columns.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.columns.segment, cell: ({ segment_id }) => nameOfSegment(segment_id) },
        { name: texts.columns.status, kind: 'status', cell: ({ status }) => <Badge word={status} /> },
        {
          name: texts.columns.when,
          kind: 'time',
          cell: ({ sent_at, scheduled_at, created_at }) => <Time at={sent_at ?? scheduled_at ?? created_at} />,
        },
      ]}
      remove={{
        note: texts.deleteNote,
        run: ({ id }) => call('broadcasts.remove', { id }),
      }}
    >
      <Dialog title={texts.createDialog.title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SchemaForm
          shape={Beginning}
          fields={[
            { name: 'name', label: texts.fields.name.label, hint: texts.fields.name.hint },
            { name: 'segment_id', label: texts.fields.segment, options: segments },
            { name: 'from', label: texts.fields.from.label, placeholder: texts.fields.from.placeholder },
            { name: 'subject', label: texts.fields.subject },
          ]}
          act={texts.createDialog.submit}
          draftKey="broadcast"
          onSubmit={async (values) => {
            const { id } = await create.mutateAsync(values)
            navigate({ to: '/broadcasts/$id', params: { id } })
          }}
        />
      </Dialog>
    </ResourcePage>
  )
}
