import { useNavigate } from '@tanstack/react-router'
import { SendEmail } from '../../../../src/features/emails/schema.ts'
import { useAct } from '../../ui/act.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { sendEmail, TEST_EMAIL } from './api.ts'

const FIELDS = [
  { name: 'from', label: 'From', placeholder: 'Name <name@example.com>' },
  { name: 'to', label: 'To' },
  { name: 'subject', label: 'Subject' },
  { name: 'html', label: 'Html', isLong: true },
  {
    name: 'scheduled_at',
    label: 'When',
    placeholder: 'now',
    isMoment: true,
    hint: 'Like “in 1 hour” or “tomorrow at 9am”. Empty: at once.',
  },
] as const

/** A single email by hand: to try something out. */
export function ComposeDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate()
  const send = useAct({ run: sendEmail, refresh: ['emails'], done: 'Accepted' })
  return (
    <Dialog title="Send email" isOpen={isOpen} onClose={onClose} isWide>
      <SchemaForm
        shape={SendEmail}
        fields={FIELDS}
        initial={TEST_EMAIL}
        act="Send"
        keepAs="email"
        onSubmit={async (values) => {
          const { id } = await send.mutateAsync(values)
          onClose()
          navigate({ to: '/emails/$id', params: { id } })
        }}
      />
    </Dialog>
  )
}
