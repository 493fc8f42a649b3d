import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Reschedule } from '../../../../src/features/emails/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { type Attachment, type FullEmail, sendAgain } from './api.ts'

export function EmailActions({ email, attachments }: { email: FullEmail; attachments: readonly Attachment[] }) {
  const [open, setOpen] = useState<'cancel' | 'reschedule' | 'again' | null>(null)
  const navigate = useNavigate()
  const again = useAct({ run: () => sendAgain(email, attachments), refresh: ['emails'], done: 'Sent again' })
  const cancel = useAct({ run: () => call('emails.cancel', { id: email.id }), refresh: ['emails'], done: 'Canceled' })
  const reschedule = useAct({
    run: (scheduled_at: string) => call('emails.update', { id: email.id, body: { scheduled_at } }),
    refresh: ['emails'],
    done: 'Rescheduled',
  })
  const share = useAct({
    run: () => call('emails.share', { id: email.id, body: { expires_in: '48h' } }),
    refresh: [],
  })
  const close = () => setOpen(null)
  return (
    <>
      {email.last_event === 'scheduled' && (
        <>
          <Button needs="emails.update" onClick={() => setOpen('reschedule')}>
            Reschedule
          </Button>
          <Button needs="emails.cancel" onClick={() => setOpen('cancel')}>
            Cancel
          </Button>
        </>
      )}
      <Button needs="emails.share" isBusy={share.isPending} onClick={() => share.mutate()}>
        Share
      </Button>
      <Button icon="send" needs="emails.send" onClick={() => setOpen('again')}>
        Send again
      </Button>
      <Confirm
        title="Send this email again?"
        note={<Recipients email={email} attachments={attachments.length} />}
        act="Send again"
        keep="Do not send"
        look="primary"
        isOpen={open === 'again'}
        onClose={close}
        onConfirm={() => again.mutateAsync().then(({ id }) => navigate({ to: '/emails/$id', params: { id } }))}
      />
      <Dialog
        title="Share this email"
        note="Whoever has this link can read the email for 48 hours, without signing in."
        isOpen={share.data !== undefined}
        onClose={() => share.reset()}
      >
        {share.data && <Copyable text={share.data.url} what="the link" isLong />}
      </Dialog>
      <Dialog title="Reschedule" isOpen={open === 'reschedule'} onClose={close}>
        <SchemaForm
          shape={Reschedule}
          fields={[
            {
              name: 'scheduled_at',
              label: 'When',
              placeholder: 'in 1 hour',
              isMoment: true,
              hint: 'At most 30 days ahead.',
            },
          ]}
          act="Reschedule"
          onSubmit={({ scheduled_at }) => reschedule.mutateAsync(scheduled_at).then(close)}
        />
      </Dialog>
      <Confirm
        title="Cancel this email?"
        note="It is not sent, and cannot be scheduled again."
        act="Cancel the email"
        isOpen={open === 'cancel'}
        onClose={close}
        onConfirm={() => cancel.mutateAsync()}
      />
    </>
  )
}

const NAMED = 5

/** Who gets it: the same people, in whatever place they were. */
function Recipients({ email, attachments }: { email: FullEmail; attachments: number }) {
  const everybody = [...email.to, ...email.cc, ...email.bcc]
  const more = everybody.length - NAMED
  return (
    <>
      A new email goes to {everybody.slice(0, NAMED).join(', ')}
      {more > 0 && ` and ${more} more`}
      {attachments > 0 && `, with ${attachments === 1 ? 'its attachment' : `its ${attachments} attachments`}`}.
    </>
  )
}
