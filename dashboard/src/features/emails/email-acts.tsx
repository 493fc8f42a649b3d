import { call, type Item } from '../../api.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { emailName } from './email-name.ts'
import { texts } from './texts.ts'

type Email = Item<'emails.list'>

interface EmailActsProps {
  readonly emails: readonly Email[]
  /** In inbox mode: mail that was really sent stays. */
  readonly canDelete: boolean
  readonly onClear: () => void
}

/** What can be done with the selected emails. */
export const EmailActs = ({ emails, canDelete, onClear }: EmailActsProps) => (
  <BulkBar
    label={texts.many}
    items={emails}
    nameOf={emailName}
    refresh={['emails', 'messages']}
    onClear={onClear}
    acts={[
      {
        label: texts.bulk.cancel.label,
        needs: 'emails.cancel',
        isFor: ({ last_event }) => last_event === 'scheduled',
        run: ([email]) => call('emails.cancel', { id: email!.id }),
        done: texts.bulk.cancel.done,
        confirm: {
          title: texts.bulk.cancel.title,
          note: texts.bulk.cancel.note,
        },
      },
      ...(canDelete
        ? [
            {
              label: texts.bulk.delete.label,
              needs: 'messages.remove' as const,
              run: ([email]: readonly Email[]) => call('messages.remove', { id: email!.id }),
              done: texts.bulk.delete.done,
              confirm: {
                title: texts.bulk.delete.title,
                note: texts.bulk.delete.note,
              },
            },
          ]
        : []),
    ]}
  />
)
