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
import { texts } from './texts.ts'

export function EmailActions({ email, attachments }: { email: FullEmail; attachments: readonly Attachment[] }) {
  const [open, setOpen] = useState<'cancel' | 'reschedule' | 'again' | null>(null)
  const navigate = useNavigate()
  const again = useAct({ run: () => sendAgain(email, attachments), refresh: ['emails'], done: texts.emailQueued })
  const cancel = useAct({
    run: () => call('emails.cancel', { id: email.id }),
    refresh: ['emails'],
    done: texts.emailCanceled,
  })
  const reschedule = useAct({
    run: (scheduled_at: string) => call('emails.update', { id: email.id, body: { scheduled_at } }),
    refresh: ['emails'],
    done: texts.emailRescheduled,
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
            {texts.reschedule}
          </Button>
          <Button needs="emails.cancel" onClick={() => setOpen('cancel')}>
            {texts.cancel}
          </Button>
        </>
      )}
      <Button needs="emails.share" isBusy={share.isPending} onClick={() => share.mutate()}>
        {texts.share}
      </Button>
      <Button icon="send" needs="emails.send" onClick={() => setOpen('again')}>
        {texts.sendAgain}
      </Button>
      <Confirm
        title={texts.sendEmailAgain}
        note={<Recipients email={email} attachments={attachments.length} />}
        act={texts.sendAgain}
        look="primary"
        isOpen={open === 'again'}
        onClose={close}
        onConfirm={() => again.mutateAsync().then(({ id }) => navigate({ to: '/emails/$id', params: { id } }))}
      />
      <Dialog
        title={texts.shareEmail}
        note={texts.anyoneWithLinkCan}
        isOpen={share.data !== undefined}
        onClose={() => share.reset()}
      >
        {share.data && <Copyable text={share.data.url} what="link" isLong />}
      </Dialog>
      <Dialog title={texts.reschedule} isOpen={open === 'reschedule'} onClose={close}>
        <SchemaForm
          shape={Reschedule}
          fields={[
            {
              name: 'scheduled_at',
              label: texts.when,
              placeholder: texts.n1Hour,
              isMoment: true,
              hint: texts.up30DaysAhead,
            },
          ]}
          act={texts.reschedule}
          onSubmit={({ scheduled_at }) => reschedule.mutateAsync(scheduled_at).then(close)}
        />
      </Dialog>
      <Confirm
        title={texts.cancelEmail}
        note={texts.notSentCannotBe}
        act={texts.cancelEmail2}
        dismiss={texts.back}
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
      {texts.newEmailGoes(everybody.slice(0, NAMED).join(', '))}
      {more > 0 && ` and ${more} more`}
      {attachments > 0 && `, with ${attachments === 1 ? texts.attachment : `its ${attachments} attachments`}`}.
    </>
  )
}
