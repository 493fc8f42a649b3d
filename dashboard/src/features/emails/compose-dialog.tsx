import { useNavigate } from '@tanstack/react-router'
import { SendEmail } from '../../../../src/features/emails/schema.ts'
import type { Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { Loading } from '../../ui/states.tsx'
import { sendEmail, TEST_EMAIL } from './api.ts'
import { texts } from './texts.ts'

const FIELDS = [
  { name: 'from', label: texts.from, placeholder: texts.nameNameExampleCom },
  { name: 'to', label: texts.to },
  { name: 'subject', label: texts.subject },
  { name: 'html', label: 'HTML', isLong: true },
  {
    name: 'scheduled_at',
    label: texts.when,
    placeholder: 'now',
    isMoment: true,
    hint: texts.example1HourTomorrow,
  },
] as const

/** A single email by hand: to try something out. */
export function ComposeDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const latest = useCall('emails.list', { limit: 1 }, { enabled: isOpen })
  const send = useAct({ run: sendEmail, refresh: ['emails'], done: texts.emailQueued })
  return (
    <Dialog title={texts.sendEmail} isOpen={isOpen} onClose={onClose} isWide>
      {latest.isPending ? (
        <Loading />
      ) : (
        <SchemaForm
          shape={SendEmail}
          fields={FIELDS}
          initial={initialOf(latest.data?.data)}
          act={texts.send}
          draftKey="email"
          onSubmit={async (values) => {
            const { id } = await send.mutateAsync(values)
            onClose()
            navigate({ to: '/emails/$id', params: { id } })
          }}
        />
      )}
    </Dialog>
  )
}

/** The first email is a test; after that only the sender stays the same. */
const initialOf = (latest: readonly Item<'emails.list'>[] | undefined) => {
  const [last] = latest ?? []
  return last ? { from: last.from } : TEST_EMAIL
}
