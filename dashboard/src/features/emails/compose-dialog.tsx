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

const { title, from, to, subject, html, when, submit } = texts.composeDialog

const FIELDS = [
  { name: 'from', ...from },
  { name: 'to', label: to },
  { name: 'subject', label: subject },
  { name: 'html', label: html, isLong: true },
  { name: 'scheduled_at', ...when, isMoment: true },
] as const

/** A single email by hand: to try something out. */
export function ComposeDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const latest = useCall('emails.list', { limit: 1 }, { enabled: isOpen })
  const send = useAct({ run: sendEmail, refresh: ['emails'], done: texts.queued })
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} isWide>
      {latest.isPending ? (
        <Loading />
      ) : (
        <SchemaForm
          shape={SendEmail}
          fields={FIELDS}
          initial={initialOf(latest.data?.data)}
          act={submit}
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
