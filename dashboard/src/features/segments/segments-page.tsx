import { CreateSegment, UpdateSegment } from '../../../../src/features/segments/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { formatNumber } from '../../ui/locale.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const FIELDS = [{ name: 'name', label: texts.name }] as const

/** How many contacts a segment has; of a large one that it is large. */
function useCounts(): (id: string) => string {
  const { data } = useCall('segments.counts', {})
  const counts = new Map(data?.data.map((count) => [count.segment_id, count]))
  return (id) => {
    const count = counts.get(id)
    return count ? `${formatNumber(count.contacts)}${count.is_exact ? '' : '+'}` : ''
  }
}

export function SegmentsPage() {
  const countOf = useCounts()
  return (
    <ResourcePage
      title={texts.segments}
      one="segment"
      icon="layers"
      about={texts.groupsContactsSendBroadcasts}
      list="segments.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/segments/$id"
      columns={[
        { name: texts.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.contacts2, cell: ({ id }) => countOf(id) },
        { name: texts.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{ shape: CreateSegment, fields: FIELDS, run: (body) => call('segments.create', { body }) }}
      edit={{ shape: UpdateSegment, fields: FIELDS, run: ({ id }, body) => call('segments.update', { id, body }) }}
      remove={{ note: texts.contactsKept, run: ({ id }) => call('segments.remove', { id }) }}
    />
  )
}
