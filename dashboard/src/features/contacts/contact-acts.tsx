import { call, type Item } from '../../api.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import type { Option } from '../../ui/filter-values.ts'
import { texts } from './texts.ts'

interface ContactActsProps {
  readonly contacts: readonly Item<'contacts.list'>[]
  readonly segments: readonly Option[]
  readonly onClear: () => void
}

const contactsWord = (count: number) => (count === 1 ? '1 contact' : `${count} contacts`)

/** What can be done with the selected contacts. */
export const ContactActs = ({ contacts, segments, onClear }: ContactActsProps) => (
  <BulkBar
    label={texts.contacts}
    items={contacts}
    nameOf={({ email }) => email}
    refresh={['contacts', 'segments']}
    onClear={onClear}
    acts={[
      {
        label: texts.addSegment,
        needs: 'contacts.segments.add',
        options: segments,
        run: ([contact], segmentId) => call('contacts.segments.add', { idOrEmail: contact!.id, segmentId }),
        done: (count) => texts.addedSegment(contactsWord(count)),
      },
      {
        label: texts.unsubscribe,
        needs: 'contacts.update',
        isFor: ({ unsubscribed }) => !unsubscribed,
        run: ([contact]) => call('contacts.update', { idOrEmail: contact!.id, body: { unsubscribed: true } }),
        done: (count) => `${contactsWord(count)} unsubscribed`,
        confirm: {
          title: (count) => texts.unsubscribeOf(contactsWord(count)),
          note: texts.theyReceiveNoBroadcasts,
        },
      },
      {
        label: 'Delete',
        needs: 'contacts.remove',
        run: ([contact]) => call('contacts.remove', { idOrEmail: contact!.id }),
        done: (count) => `${contactsWord(count)} deleted`,
        confirm: {
          title: (count) => `Delete ${contactsWord(count)}?`,
          note: texts.contactsTheirDataDeleted,
        },
      },
    ]}
  />
)
