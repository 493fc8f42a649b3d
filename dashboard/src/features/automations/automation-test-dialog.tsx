import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { call, type Input } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CodeField, Field } from '../../ui/field.tsx'
import { samplePayload } from '../../ui/sample-payload.ts'
import type { FullAutomation } from './editing.ts'
import { useResources } from './resources.ts'
import { texts } from './texts.ts'

interface TestRunDialogProps {
  readonly automation: FullAutomation
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const TestRunDialog = ({ automation, isOpen, onClose }: TestRunDialogProps) => (
  <Dialog title={texts.testDialog.title} note={texts.testDialog.note} isOpen={isOpen} onClose={onClose}>
    <TestRunForm automation={automation} />
  </Dialog>
)

function TestRunForm({ automation }: { automation: FullAutomation }) {
  const resources = useResources()
  const navigate = useNavigate()
  const [payload, setPayload] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const test = useAct({
    run: (body: Input<'automations.test'>['body']) => call('automations.test', { id: automation.id, body }),
    refresh: ['automationRuns'],
  })
  const event = String(automation.steps.find(({ type }) => type === 'trigger')?.config.event_name ?? '')
  const text = payload ?? samplePayload(resources.schemaOf(event))
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setError(null)
    try {
      const { id } = await test.mutateAsync({
        to: String(form.get('to')),
        payload: JSON.parse(text),
        waits: form.get('waits') === 'timeout' ? 'timeout' : 'event_received',
      })
      navigate({ to: '/automation-runs/$id', params: { id } })
    } catch (reason) {
      setError(reason instanceof SyntaxError ? texts.testDialog.payload.invalid : (reason as Error).message)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label={texts.testDialog.to.label}>
        {(common) => (
          <input {...common} name="to" type="email" required placeholder={texts.testDialog.to.placeholder} />
        )}
      </Field>
      <CodeField
        label={texts.testDialog.payload.label(event)}
        hint={texts.testDialog.payload.hint}
        rows={5}
        value={text}
        onChange={setPayload}
      />
      <Field label={texts.testDialog.awaitedEvents.label}>
        {(common) => (
          <select {...common} name="waits">
            <option value="event_received">{texts.testDialog.awaitedEvents.received}</option>
            <option value="timeout">{texts.testDialog.awaitedEvents.timeout}</option>
          </select>
        )}
      </Field>
      {error && (
        <p className="form-error" role="alert">
          {error}
        </p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" isBusy={test.isPending}>
          {texts.testDialog.submit}
        </Button>
      </div>
    </form>
  )
}
