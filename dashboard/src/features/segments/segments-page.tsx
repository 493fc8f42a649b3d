import type { Static } from 'typebox'
import { CreateSegment, type SegmentItem, UpdateSegment } from '../../../../src/resources/segments/schema.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'

const FIELDS = [{ name: 'name', label: 'Name' }]

export const SegmentsPage = () => (
  <ResourcePage<Static<typeof SegmentItem>>
    title="Segments"
    one="segment"
    icon="layers"
    about="Groups of contacts: whom a broadcast goes to."
    path="/segments"
    nameOf={({ name }) => name}
    linkTo={({ id }) => `/segments/${id}`}
    columns={[
      { name: 'Name', kind: 'main', cell: ({ name }) => name },
      { name: 'Created', kind: 'aside', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
    create={{ shape: CreateSegment, fields: FIELDS }}
    edit={{ shape: UpdateSegment, fields: FIELDS }}
    deleting="Its contacts stay."
  />
)
