import { type FormEvent, useState } from 'react'
import { api } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Broadcast } from './api.ts'
import { fillFor } from './contact-preview.tsx'

/** First to yourself, then to everybody, now or later. */
export function SendDialog({
  broadcast,
  isOpen,
  onClose,
}: {
  broadcast: Broadcast
  isOpen: boolean
  onClose: () => void
}) {
  const [when, setWhen] = useState('')
  const test = useAct({
    run: (to: string) => {
      const { from, subject, html } = broadcast
      return api.post('/emails', {
        ...{ from, to, html: fillFor(html ?? '', undefined) },
        subject: `[Test] ${fillFor(subject ?? '', undefined)}`,
      })
    },
    refresh: ['emails'],
    done: 'The test is on its way',
  })
  const send = useAct({
    run: () => api.post(`/broadcasts/${broadcast.id}/send`, when ? { scheduled_at: when } : {}),
    refresh: ['broadcasts'],
    done: when ? 'Scheduled' : 'On its way',
  })
  const sendTest = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    test.mutate(String(new FormData(event.currentTarget).get('to')))
  }
  return (
    <Dialog title="Send the broadcast" isOpen={isOpen} onClose={onClose}>
      <form className="form" onSubmit={sendTest}>
        <div className="field">
          <label htmlFor="test-to">A test to</label>
          <input id="test-to" name="to" type="email" required placeholder="you@example.com" />
        </div>
        <div className="actions">
          <Button type="submit" isBusy={test.isPending}>
            Send a test
          </Button>
        </div>
      </form>
      <div className="form">
        <div className="field">
          <label htmlFor="when">To everybody</label>
          <input
            id="when"
            value={when}
            placeholder="now"
            onChange={(event) => setWhen(event.currentTarget.value)}
            aria-describedby="when-hint"
          />
          <small id="when-hint" className="muted">
            Empty: at once. Or like “tomorrow at 9am” or 2026-12-01T09:00Z.
          </small>
        </div>
        <div className="actions">
          <Button
            look="primary"
            icon="send"
            isBusy={send.isPending}
            onClick={() => send.mutate(undefined, { onSuccess: onClose })}
          >
            {when ? 'Schedule' : 'Send to everybody'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
