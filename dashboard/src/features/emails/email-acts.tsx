import { call, type Item } from '../../api.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { emailName } from './email-name.ts'
import { texts } from './texts.ts'

type Email = Item<'emails.list'>

const emailsWord = (count: number) => (count === 1 ? '1 email' : `${count} emails`)

interface EmailActsProps {
  readonly emails: readonly Email[]
  /** In inbox mode: mail that was really sent stays. */
  readonly canDelete: boolean
  readonly onClear: () => void
}

/** What can be done with the selected emails. */
export const EmailActs = ({ emails, canDelete, onClear }: EmailActsProps) => (
  <BulkBar
    label={texts.emails}
    items={emails}
    nameOf={emailName}
    refresh={['emails', 'messages']}
    onClear={onClear}
    acts={[
      {
        label: texts.cancelScheduled,
        needs: 'emails.cancel',
        isFor: ({ last_event }) => last_event === 'scheduled',
        run: ([email]) => call('emails.cancel', { id: email!.id }),
        done: (count) => `${emailsWord(count)} canceled`,
        confirm: {
          title: (count) => texts.cancelOf(emailsWord(count)),
          note: texts.scheduledEmailsCanceledNot,
        },
      },
      ...(canDelete
        ? [
            {
              label: 'Delete',
              needs: 'messages.remove' as const,
              run: ([email]: readonly Email[]) => call('messages.remove', { id: email!.id }),
              done: (count: number) => `${emailsWord(count)} deleted`,
              confirm: {
                title: (count: number) => `Delete ${emailsWord(count)}?`,
                note: texts.theirContentEventsDeleted,
              },
            },
          ]
        : []),
    ]}
  />
)
