import { CreateSegment, UpdateSegment } from '../../../../src/features/segments/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { formatNumber } from '../../ui/locale.ts'
import { ResourcePage } from '../../ui/resource-page.tsx'
import { Time } from '../../ui/time.tsx'
import { texts } from './texts.ts'

const FIELDS = [{ name: 'name', label: texts.fields.name }] as const

/** How many contacts a segment has; of a large one that it is large. */
function useCounts(): (id: string) => string {
  const { data } = useCall('segments.counts', {})
  const counts = new Map(data?.data.map((count) => [count.segment_id, count]))
  return (id) => {
    const count = counts.get(id)
    if (!count) return ''
    const contacts = formatNumber(count.contacts)
    return count.is_exact ? contacts : texts.atLeast(contacts)
  }
}

export function SegmentsPage() {
  const countOf = useCounts()
  return (
    <ResourcePage
      title={texts.page.title}
      one={texts.page.one}
      icon="layers"
      about={texts.page.about}
      list="segments.list"
      input={{}}
      nameOf={({ name }) => name}
      pageOfOne="/segments/$id"
      columns={[
        { name: texts.fields.name, kind: 'title', cell: ({ name }) => name },
        { name: texts.columns.contacts, cell: ({ id }) => countOf(id) },
        { name: texts.columns.created, kind: 'time', cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
      create={{ shape: CreateSegment, fields: FIELDS, run: (body) => call('segments.create', { body }) }}
      edit={{ shape: UpdateSegment, fields: FIELDS, run: ({ id }, body) => call('segments.update', { id, body }) }}
      remove={{ note: texts.page.removeNote, run: ({ id }) => call('segments.remove', { id }) }}
    />
  )
}
