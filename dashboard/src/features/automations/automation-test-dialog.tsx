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

interface TestRunDialogProps {
  readonly automation: FullAutomation
  readonly isOpen: boolean
  readonly onClose: () => void
}

export const TestRunDialog = ({ automation, isOpen, onClose }: TestRunDialogProps) => (
  <Dialog
    title="Test run"
    note="Runs the automation with a sample event. Delays are skipped, emails go only to the address below, and nothing else is changed."
    isOpen={isOpen}
    onClose={onClose}
  >
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
      setError(reason instanceof SyntaxError ? 'The payload is not valid JSON.' : (reason as Error).message)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label="Send emails to">
        {(common) => <input {...common} name="to" type="email" required placeholder="you@example.com" />}
      </Field>
      <CodeField label={`Payload of ${event}`} hint="JSON." rows={5} value={text} onChange={setPayload} />
      <Field label="Awaited events">
        {(common) => (
          <select {...common} name="waits">
            <option value="event_received">Received immediately</option>
            <option value="timeout">Never received (timeout)</option>
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
          Run test
        </Button>
      </div>
    </form>
  )
}
