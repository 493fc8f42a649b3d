import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { SendBroadcast } from '../../../../src/resources/broadcasts/schema.ts'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { SchemaForm } from '../../ui/schema-form.tsx'
import type { Letter } from './reader.ts'

interface SendDialogProps {
  readonly id: string
  /** As the reader who is chosen gets it. */
  readonly letter: Letter & { readonly from: string; readonly reply_to: readonly string[] | null }
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** First to yourself, then to everybody, now or later. */
export function SendDialog({ id, letter, isOpen, onClose }: SendDialogProps) {
  const send = useAct({
    run: (values: object) => api.post(`/broadcasts/${id}/send`, values),
    refresh: ['broadcasts'],
    done: 'Accepted',
  })
  return (
    <Dialog title="Send the broadcast" isOpen={isOpen} onClose={onClose}>
      <Test letter={letter} />
      <hr />
      <SchemaForm
        shape={SendBroadcast}
        fields={[
          {
            name: 'scheduled_at',
            label: 'To everybody',
            placeholder: 'now',
            hint: 'Empty: at once. Or like “tomorrow at 9am” or 2026-12-01T09:00Z.',
          },
        ]}
        act="Send to everybody"
        onSubmit={(values) => send.mutateAsync(values).then(onClose)}
      />
    </Dialog>
  )
}

/** One email to look at in a real inbox. It counts for nothing: no contact, no topic, no figures of the broadcast. */
function Test({ letter }: { letter: SendDialogProps['letter'] }) {
  const navigate = useNavigate()
  const [sent, setSent] = useState<string | null>(null)
  const test = useAct({
    run: (to: string) => {
      const { from, reply_to, subject, html, text } = letter
      return api.post<{ id: string }>('/emails', {
        ...{ from, to, subject: `[Test] ${subject}` },
        ...(reply_to && { reply_to }),
        ...(html !== null && { html }),
        ...(text !== null && { text }),
      })
    },
    refresh: ['emails'],
    done: 'The test is on its way',
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = String(new FormData(event.currentTarget).get('to'))
    test.mutate(to, { onSuccess: (email) => setSent(email.id) })
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label="A test to" hint="As it is read by the contact that is chosen for the preview.">
        {(common) => <input {...common} name="to" type="email" required placeholder="you@example.com" />}
      </Field>
      <div className="actions">
        {sent && (
          <Button look="quiet" onClick={() => navigate({ to: `/emails/${sent}` })}>
            Look at it
          </Button>
        )}
        <Button type="submit" isBusy={test.isPending}>
          Send a test
        </Button>
      </div>
    </form>
  )
}
