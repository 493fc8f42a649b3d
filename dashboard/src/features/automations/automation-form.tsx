import { Link } from '@tanstack/react-router'
import type { ONCE_PER_CONTACT } from '../../../../src/features/automations/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Editable } from '../../ui/allowed.tsx'
import { ChoiceField, TextField } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import type { Editing, FullAutomation } from './editing.ts'

type Once = (typeof ONCE_PER_CONTACT)[number]

const ONCE: readonly { readonly value: Once; readonly label: string }[] = [
  { value: 'never', label: 'at every event' },
  { value: 'while_running', label: 'unless a run is under way' },
  { value: 'ever', label: 'once, ever' },
]

/** What is said about the whole, while no step is chosen. */
export function AutomationForm({ automation, editing }: { automation: FullAutomation; editing: Editing }) {
  const { id } = automation
  const settings = useCall('automations.settings.get', { id })
  const change = useAct({
    run: (once_per_contact: Once) => call('automations.settings.update', { id, body: { once_per_contact } }),
    refresh: ['automations.settings'],
    done: 'Saved',
  })
  return (
    <Card title="Automation">
      <form className="form" onSubmit={(event) => event.preventDefault()}>
        <Editable needs="automations.update">
          <TextField label="Name" value={editing.name} onChange={editing.rename} />
          {settings.data && (
            <ChoiceField
              label="A contact starts it"
              hint="Takes effect at once."
              options={ONCE}
              // What was chosen, not what is stored, until that is the same.
              value={change.isPending ? change.variables : settings.data.once_per_contact}
              onChange={(value) => change.mutate(value as Once)}
            />
          )}
        </Editable>
      </form>
      <p className="muted">
        Choose a step to see its form. Drag from the lower edge of a card to another one to connect them; + puts a step
        in between.
      </p>
      <p>
        <Link to="/automation-runs" search={{ automation_id: id }}>
          Look at its runs
        </Link>
      </p>
    </Card>
  )
}
