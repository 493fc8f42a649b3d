import { Button, IconButton } from '../../ui/button.tsx'
import { ChoiceField } from '../../ui/field.tsx'
import { AddMenu } from './add-menu.tsx'
import type { Editing } from './editing.ts'
import { ContactDeleteForm, ContactUpdateForm, SegmentForm } from './forms/contact-forms.tsx'
import { DelayForm } from './forms/duration-field.tsx'
import { TriggerForm, WaitForm } from './forms/event-forms.tsx'
import type { StepFormProps } from './forms/form.ts'
import { ConditionForm } from './forms/rule-fields.tsx'
import { SendEmailForm } from './forms/send-email-form.tsx'
import { configure, connect, type Outlet, outletsOf, possibleTargets, type Step, targetOf } from './graph.ts'
import { sentenceOf } from './sentences.ts'
import { texts } from './texts.ts'

/** The form of the step that is chosen, and where it leads. */
export function StepPanel({ step, editing, onRemove }: { step: Step; editing: Editing; onRemove: () => void }) {
  const { graph, resources, problems, put, select } = editing
  const problem = problems.get(step.key)
  return (
    <section
      className="card step-panel"
      aria-label={texts.stepPanel.label}
      onKeyDown={(event) => {
        if (event.key === 'Escape') select(step.key, 'card')
      }}
    >
      <header>
        <h2>{texts.stepNames[step.type]}</h2>
        <IconButton icon="close" label={texts.stepPanel.close} onClick={() => select(null, 'card')} />
      </header>
      {problem && (
        <p className={problem.isFatal ? 'form-error' : 'form-note'} role="status">
          {problem.text}
        </p>
      )}
      <form className="form" key={step.key} onSubmit={(event) => event.preventDefault()}>
        <StepForm
          {...{ step, graph, resources }}
          onChange={(config) => put(configure(graph, { ...step, config } as Step))}
        />
        {outletsOf(step).map((outlet) => (
          <Lead key={outlet.type} outlet={outlet} editing={editing} />
        ))}
      </form>
      <div className="actions">
        <small className="muted">
          <code>{step.key}</code>
        </small>
        {step.type !== 'trigger' && (
          <Button look="quiet" onClick={onRemove}>
            {texts.stepPanel.delete}
          </Button>
        )}
      </div>
    </section>
  )
}

type AnyForm = (props: StepFormProps<Step['type']>) => ReturnType<typeof TriggerForm>

const FORMS = {
  trigger: TriggerForm,
  send_email: SendEmailForm,
  delay: DelayForm,
  wait_for_event: WaitForm,
  condition: ConditionForm,
  contact_update: ContactUpdateForm,
  contact_delete: ContactDeleteForm,
  add_to_segment: SegmentForm,
} as const

function StepForm(props: StepFormProps<Step['type']>) {
  // The form of its own kind; the compiler does not see that both are of one.
  const Form = FORMS[props.step.type] as unknown as AnyForm
  return <Form {...props} />
}

/** The target of an outlet: an existing step, or a new one. */
function Lead({ outlet, editing }: { outlet: Outlet; editing: Editing }) {
  const { graph, resources, put, add } = editing
  const target = targetOf(graph, outlet)
  const options = possibleTargets(graph, outlet.from).map((step) => ({
    value: step.key,
    label: sentenceOf(step, resources),
  }))
  return (
    <div className="lead">
      <ChoiceField
        label={texts.stepPanel.next[outlet.type]}
        none={texts.stepPanel.end}
        options={options}
        value={target ?? ''}
        onChange={(key) => put(connect(graph, outlet, key || null))}
      />
      <AddMenu
        label={texts.addStep.label}
        trigger={<IconButton icon="plus" label={texts.addStep.atOutlet(texts.outlets[outlet.type])} />}
        onAdd={(type) => add(type, outlet)}
      />
    </div>
  )
}
