import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call } from '../api.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import type { EmailContent } from './preview-contact.tsx'
import { texts } from './texts.ts'

export interface TestEmail extends EmailContent {
  readonly from: string
  readonly reply_to: readonly string[] | null
}

/** One email to look at in a real inbox. It counts for nothing: no contact, no topic, no figures of a broadcast. */
export function SendTestForm({ email }: { email: TestEmail }) {
  const navigate = useNavigate()
  const [sent, setSent] = useState<string | null>(null)
  const test = useAct({
    run: ({ to, from }: { to: string; from: string }) => {
      const { reply_to, subject, html, text } = email
      return call('emails.send', {
        body: {
          ...{ from, to, subject: `[Test] ${subject}` },
          ...(reply_to && { reply_to: [...reply_to] }),
          ...(html !== null && { html }),
          ...(text !== null && { text }),
        },
      })
    },
    refresh: ['emails'],
    done: texts.testDialog.done,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const from = email.from || String(form.get('from'))
    test.mutate({ to: String(form.get('to')), from }, { onSuccess: ({ id }) => setSent(id) })
  }
  return (
    <form className="form" onSubmit={submit}>
      {email.from === '' && (
        <Field label={texts.testDialog.from.label}>
          {(common) => <input {...common} name="from" required placeholder={texts.testDialog.from.placeholder} />}
        </Field>
      )}
      <Field label={texts.testDialog.to.label} hint={texts.testDialog.to.hint}>
        {(common) => (
          <input {...common} name="to" type="email" required placeholder={texts.testDialog.to.placeholder} />
        )}
      </Field>
      <div className="actions">
        {sent && (
          <Button look="quiet" onClick={() => navigate({ to: '/emails/$id', params: { id: sent } })}>
            {texts.testDialog.viewEmail}
          </Button>
        )}
        <Button type="submit" isBusy={test.isPending}>
          {texts.testDialog.submit}
        </Button>
      </div>
    </form>
  )
}

interface SendTestDialogProps {
  readonly email: TestEmail
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const SendTestDialog = ({ email, isOpen, onClose }: SendTestDialogProps) => (
  <Dialog title={texts.testDialog.title} isOpen={isOpen} onClose={onClose}>
    <SendTestForm email={email} />
  </Dialog>
)
