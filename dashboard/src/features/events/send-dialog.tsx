import { type FormEvent, useState } from 'react'
import { call, type Input, type Item } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { samplePayload } from '../../ui/sample-payload.ts'

type Definition = Item<'events.list'>

interface SendDialogProps {
  /** Null: the name is written. */
  readonly definition: Definition | null
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const SendDialog = ({ definition, isOpen, onClose }: SendDialogProps) => (
  <Dialog
    title="Send event"
    note="Starts and continues automations, as if your application had sent it."
    isOpen={isOpen}
    onClose={onClose}
  >
    <SendForm key={definition?.id} definition={definition} onSent={onClose} />
  </Dialog>
)

function SendForm({ definition, onSent }: { definition: Definition | null; onSent: () => void }) {
  const [error, setError] = useState<string | null>(null)
  const send = useAct({
    run: (body: Input<'events.send'>['body']) => call('events.send', { body }),
    refresh: ['automationRuns', 'automations.numbers'],
    done: 'Event sent',
  })
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setError(null)
    try {
      await send.mutateAsync({
        event: String(form.get('event')),
        email: String(form.get('email')),
        payload: JSON.parse(String(form.get('payload'))),
      })
      onSent()
    } catch (reason) {
      setError(reason instanceof SyntaxError ? 'The payload is not valid JSON.' : (reason as Error).message)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label="Event">
        {(common) => (
          <input {...common} name="event" required defaultValue={definition?.name} placeholder="user.created" />
        )}
      </Field>
      <Field label="Contact" hint="Created if it doesn't exist.">
        {(common) => <input {...common} name="email" type="email" required placeholder="ada@example.com" />}
      </Field>
      <Field label="Payload" hint="JSON.">
        {(common) => (
          <textarea
            {...common}
            className="mono"
            name="payload"
            rows={5}
            spellCheck={false}
            defaultValue={samplePayload(definition?.schema ?? null)}
          />
        )}
      </Field>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" isBusy={send.isPending}>
          Send event
        </Button>
      </div>
    </form>
  )
}
