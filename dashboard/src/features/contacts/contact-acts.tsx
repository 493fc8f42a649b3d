import { call, type Item } from '../../api.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import type { Option } from '../../ui/filter-values.ts'
import { texts } from './texts.ts'

interface ContactActsProps {
  readonly contacts: readonly Item<'contacts.list'>[]
  readonly segments: readonly Option[]
  readonly onClear: () => void
}

/** What can be done with the selected contacts. */
export const ContactActs = ({ contacts, segments, onClear }: ContactActsProps) => (
  <BulkBar
    label={texts.many}
    items={contacts}
    nameOf={({ email }) => email}
    refresh={['contacts', 'segments']}
    onClear={onClear}
    acts={[
      {
        label: texts.bulk.addToSegment.label,
        needs: 'contacts.segments.add',
        options: segments,
        run: ([contact], segmentId) => call('contacts.segments.add', { idOrEmail: contact!.id, segmentId }),
        done: texts.bulk.addToSegment.done,
      },
      {
        label: texts.bulk.unsubscribe.label,
        needs: 'contacts.update',
        isFor: ({ unsubscribed }) => !unsubscribed,
        run: ([contact]) => call('contacts.update', { idOrEmail: contact!.id, body: { unsubscribed: true } }),
        done: texts.bulk.unsubscribe.done,
        confirm: {
          title: texts.bulk.unsubscribe.title,
          note: texts.bulk.unsubscribe.note,
        },
      },
      {
        label: texts.bulk.delete.label,
        needs: 'contacts.remove',
        run: ([contact]) => call('contacts.remove', { idOrEmail: contact!.id }),
        done: texts.bulk.delete.done,
        confirm: {
          title: texts.bulk.delete.title,
          note: texts.bulk.delete.note,
        },
      },
    ]}
  />
)
