import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Reschedule } from '../../../../src/features/emails/schema.ts'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { SchemaForm } from '../../ui/schema-form.tsx'
import { type Attachment, type FullEmail, sendAgain } from './api.ts'
import { texts } from './texts.ts'

export function EmailActions({ email, attachments }: { email: FullEmail; attachments: readonly Attachment[] }) {
  const [open, setOpen] = useState<'cancel' | 'reschedule' | 'again' | 'delete' | null>(null)
  const navigate = useNavigate()
  const again = useAct({ run: () => sendAgain(email, attachments), refresh: ['emails'], done: texts.queued })
  const cancel = useAct({
    run: () => call('emails.cancel', { id: email.id }),
    refresh: ['emails'],
    done: texts.cancelDialog.done,
  })
  const remove = useAct({
    run: () => call('emails.remove', { id: email.id }),
    refresh: ['emails', 'messages'],
    done: texts.deleteDialog.done,
  })
  const reschedule = useAct({
    run: (scheduled_at: string) => call('emails.update', { id: email.id, body: { scheduled_at } }),
    refresh: ['emails'],
    done: texts.rescheduleDialog.done,
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
            {texts.actions.reschedule}
          </Button>
          <Button needs="emails.cancel" onClick={() => setOpen('cancel')}>
            {texts.actions.cancel}
          </Button>
        </>
      )}
      <Button needs="emails.share" isBusy={share.isPending} onClick={() => share.mutate()}>
        {texts.actions.share}
      </Button>
      <Button icon="send" needs="emails.send" onClick={() => setOpen('again')}>
        {texts.actions.sendAgain}
      </Button>
      <Button needs="emails.remove" look="danger" onClick={() => setOpen('delete')}>
        {texts.actions.delete}
      </Button>
      <Confirm
        title={texts.sendAgainDialog.title}
        note={sendAgainNote(email, attachments.length)}
        act={texts.sendAgainDialog.confirm}
        look="primary"
        isOpen={open === 'again'}
        onClose={close}
        onConfirm={() => again.mutateAsync().then(({ id }) => navigate({ to: '/emails/$id', params: { id } }))}
      />
      <Confirm
        title={texts.deleteDialog.title}
        note={texts.deleteDialog.note}
        act={texts.deleteDialog.confirm}
        isOpen={open === 'delete'}
        onClose={close}
        onConfirm={() => remove.mutateAsync().then(() => navigate({ to: '/emails' }))}
      />
      <Dialog
        title={texts.shareDialog.title}
        note={texts.shareDialog.note}
        isOpen={share.data !== undefined}
        onClose={() => share.reset()}
      >
        {share.data && <Copyable text={share.data.url} what={texts.shareDialog.copied} isLong />}
      </Dialog>
      <Dialog title={texts.rescheduleDialog.title} isOpen={open === 'reschedule'} onClose={close}>
        <SchemaForm
          shape={Reschedule}
          fields={[
            {
              name: 'scheduled_at',
              label: texts.rescheduleDialog.when.label,
              placeholder: texts.rescheduleDialog.when.placeholder,
              isMoment: true,
              hint: texts.rescheduleDialog.when.hint,
            },
          ]}
          act={texts.rescheduleDialog.submit}
          onSubmit={({ scheduled_at }) => reschedule.mutateAsync(scheduled_at).then(close)}
        />
      </Dialog>
      <Confirm
        title={texts.cancelDialog.title}
        note={texts.cancelDialog.note}
        act={texts.cancelDialog.confirm}
        dismiss={texts.cancelDialog.dismiss}
        isOpen={open === 'cancel'}
        onClose={close}
        onConfirm={() => cancel.mutateAsync()}
      />
    </>
  )
}

const MAX_NAMED = 5

/** Names the recipients, whether they are in To, Cc or Bcc. */
function sendAgainNote(email: FullEmail, attachments: number): string {
  const { note, noteWithAttachments, andMore } = texts.sendAgainDialog
  const recipients = [...email.to, ...email.cc, ...email.bcc]
  const named = recipients.slice(0, MAX_NAMED).join(', ')
  const more = recipients.length - MAX_NAMED
  const all = more > 0 ? andMore(named, formatNumber(more)) : named
  return attachments > 0 ? noteWithAttachments(all, attachments) : note(all)
}
