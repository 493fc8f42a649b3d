import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import type { FullBroadcast } from './api.ts'
import type { BroadcastContent } from './preview-contact.ts'
import { Review } from './review.tsx'

interface SendDialogProps {
  /** As it is saved: this is what is sent. */
  readonly broadcast: FullBroadcast
  /** As the previewContact who is chosen gets it. */
  readonly content: BroadcastContent & { readonly from: string; readonly reply_to: readonly string[] | null }
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** First to yourself, then to everybody, when all that is about to happen has been seen. */
export function SendDialog({ broadcast, content, isOpen, onClose }: SendDialogProps) {
  return (
    <Dialog title="Send broadcast" isOpen={isOpen} onClose={onClose}>
      <Test content={content} />
      <hr />
      <Review broadcast={broadcast} onSent={onClose} />
    </Dialog>
  )
}

/** One email to look at in a real inbox. It counts for nothing: no contact, no topic, no figures of the broadcast. */
function Test({ content }: { content: SendDialogProps['content'] }) {
  const navigate = useNavigate()
  const [sent, setSent] = useState<string | null>(null)
  const test = useAct({
    run: (to: string) => {
      const { from, reply_to, subject, html, text } = content
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
    done: 'Test email queued',
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const to = String(new FormData(event.currentTarget).get('to'))
    test.mutate(to, { onSuccess: (email) => setSent(email.id) })
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label="Send test to" hint="Rendered for the contact selected in the preview.">
        {(common) => <input {...common} name="to" type="email" required placeholder="you@example.com" />}
      </Field>
      <div className="actions">
        {sent && (
          <Button look="quiet" onClick={() => navigate({ to: '/emails/$id', params: { id: sent } })}>
            View email
          </Button>
        )}
        <Button type="submit" isBusy={test.isPending}>
          Send test
        </Button>
      </div>
    </form>
  )
}
