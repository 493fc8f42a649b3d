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
  { value: 'never', label: texts.always },
  { value: 'while_running', label: texts.notWhileRunActive },
  { value: 'ever', label: texts.oncePerContact },
]

/** What is said about the whole, while no step is chosen. */
export function AutomationForm({ automation, editing }: { automation: FullAutomation; editing: Editing }) {
  const { id } = automation
  const settings = useCall('automations.settings.get', { id })
  const change = useAct({
    run: (once_per_contact: OncePerContact) => call('automations.settings.update', { id, body: { once_per_contact } }),
    refresh: ['automations.settings'],
    done: texts.saved,
  })
  return (
    <Card title={texts.automation}>
      <form className="form" onSubmit={(event) => event.preventDefault()}>
        <Editable needs="automations.update">
          <TextField label={texts.name} value={editing.name} onChange={editing.rename} />
          {settings.data && (
            <ChoiceField
              label={texts.reEntry}
              hint={texts.whetherEventStartsAnother}
              options={ONCE}
              // What was chosen, not what is stored, until that is the same.
              value={change.isPending ? change.variables : settings.data.once_per_contact}
              onChange={(value) => change.mutate(value as OncePerContact)}
            />
          )}
        </Editable>
      </form>
      <p className="muted">{texts.selectStepEditDrag}</p>
      <p>
        <Link to="/automation-runs" search={{ automation_id: id }}>
          {texts.viewRuns}
        </Link>
      </p>
    </Card>
  )
}
