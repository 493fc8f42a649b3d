import { CreateSegment, UpdateSegment } from '../../../../src/features/segments/schema.ts'
import { call } from '../../api.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

const FIELDS = [{ name: 'name', label: 'Name' }] as const

export const SegmentsPage = () => (
  <ResourcePage
    title="Segments"
    one="segment"
    icon="layers"
    about="Groups of contacts: whom a broadcast goes to."
    list="segments.list"
    input={{}}
    nameOf={({ name }) => name}
    pageOfOne="/segments/$id"
    columns={[
      { name: 'Name', kind: 'main', cell: ({ name }) => name },
      { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{ shape: CreateSegment, fields: FIELDS, run: (body) => call('segments.create', { body }) }}
    edit={{ shape: UpdateSegment, fields: FIELDS, run: ({ id }, body) => call('segments.update', { id, body }) }}
    remove={{ note: 'Its contacts stay.', run: ({ id }) => call('segments.remove', { id }) }}
  />
)
