import { Link } from '@tanstack/react-router'
import type { ONCE_PER_CONTACT } from '../../../../src/features/automations/schema.ts'
import { call } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Editable } from '../../ui/allowed.tsx'
import { ChoiceField, TextField } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import type { Editing, FullAutomation } from './editing.ts'
import { texts } from './texts.ts'

type OncePerContact = (typeof ONCE_PER_CONTACT)[number]

const ONCE: readonly { readonly value: OncePerContact; readonly label: string }[] = [
  { value: 'never', label: texts.settings.reEntry.never },
  { value: 'while_running', label: texts.settings.reEntry.while_running },
  { value: 'ever', label: texts.settings.reEntry.ever },
]

/** The settings of the automation, while no step is selected. */
export function AutomationForm({ automation, editing }: { automation: FullAutomation; editing: Editing }) {
  const { id } = automation
  const settings = useCall('automations.settings.get', { id })
  const change = useAct({
    run: (once_per_contact: OncePerContact) => call('automations.settings.update', { id, body: { once_per_contact } }),
    refresh: ['automations.settings'],
    done: texts.actions.saved,
  })
  return (
    <Card title={texts.settings.title}>
      <form className="form" onSubmit={(event) => event.preventDefault()}>
        <Editable needs="automations.update">
          <TextField label={texts.settings.name} value={editing.name} onChange={editing.rename} />
          {settings.data && (
            <ChoiceField
              label={texts.settings.reEntry.label}
              hint={texts.settings.reEntry.hint}
              options={ONCE}
              // What was chosen, not what is stored, until that is the same.
              value={change.isPending ? change.variables : settings.data.once_per_contact}
              onChange={(value) => change.mutate(value as OncePerContact)}
            />
          )}
        </Editable>
      </form>
      <p className="muted">{texts.settings.help}</p>
      <p>
        <Link to="/automation-runs" search={{ automation_id: id }}>
          {texts.settings.viewRuns}
        </Link>
      </p>
    </Card>
  )
}
