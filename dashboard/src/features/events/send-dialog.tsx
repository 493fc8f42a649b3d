import { type FormEvent, useState } from 'react'
import { call, type Input, type Item } from '../../api.ts'
import { showHere } from '../../problems.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { samplePayload } from '../../ui/sample-payload.ts'
import { texts } from './texts.ts'

type Definition = Item<'events.list'>

interface SendDialogProps {
  /** Null: the name is typed in. */
  readonly definition: Definition | null
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const SendDialog = ({ definition, isOpen, onClose }: SendDialogProps) => (
  <Dialog title={texts.sendDialog.title} note={texts.sendDialog.note} isOpen={isOpen} onClose={onClose}>
    <SendForm key={definition?.id} definition={definition} onSent={onClose} />
  </Dialog>
)

function SendForm({ definition, onSent }: { definition: Definition | null; onSent: () => void }) {
  const [error, setError] = useState<string | null>(null)
  const send = useAct({
    run: (body: Input<'events.send'>['body']) => call('events.send', { body }),
    refresh: ['automationRuns', 'automations.numbers'],
    done: texts.sendDialog.done,
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
      setError(reason instanceof SyntaxError ? texts.sendDialog.payload.invalid : showHere(reason as Error))
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label={texts.sendDialog.event.label}>
        {(common) => (
          <input
            {...common}
            name="event"
            required
            defaultValue={definition?.name}
            placeholder={texts.sendDialog.event.placeholder}
          />
        )}
      </Field>
      <Field label={texts.sendDialog.contact.label} hint={texts.sendDialog.contact.hint}>
        {(common) => (
          <input {...common} name="email" type="email" required placeholder={texts.sendDialog.contact.placeholder} />
        )}
      </Field>
      <Field label={texts.sendDialog.payload.label} hint={texts.sendDialog.payload.hint}>
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
          {texts.sendDialog.submit}
        </Button>
      </div>
    </form>
  )
}
