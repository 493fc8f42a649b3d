import { ACTIONS, type AgentAction, TONES } from '../../../../../src/features/inboxes/agent/schema.ts'
import { call, type Input, type Reply } from '../../../api.ts'
import { useAct } from '../../../ui/act.ts'
import { Editable } from '../../../ui/allowed.tsx'
import { Button } from '../../../ui/button.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { ChoiceField, Field, TextField } from '../../../ui/field.tsx'
import { Card } from '../../../ui/page.tsx'
import { ACTION_TEXTS } from './sentences.ts'
import './agent-form.css'

const TONE_NAMES: Readonly<Record<(typeof TONES)[number], string>> = {
  concise_professional: 'Brief, as to a customer',
  concise_casual: 'Brief, as to a friend',
  expanded_professional: 'In full, as to a customer',
  expanded_casual: 'In full, as to a friend',
}

const OWN = 'own'
const isKnown = (tone: string): tone is (typeof TONES)[number] => TONES.some((one) => one === tone)

interface AgentFormProps {
  readonly inbox: string
  readonly agent: Reply<'inboxes.agent.get'>
}

export function AgentForm({ inbox, agent }: AgentFormProps) {
  const { draft, isChanged, change, reset } = useDraft({
    instructions: agent.instructions ?? '',
    tone: agent.tone ?? '',
    isOwnTone: agent.tone !== null && !isKnown(agent.tone),
    actions: agent.actions,
    forwardTo: agent.forward_to.join('\n'),
  })
  const save = useAct({
    run: (body: Input<'inboxes.agent.update'>['body']) => call('inboxes.agent.update', { inbox, body }),
    refresh: ['inboxes.agent'],
    done: 'Saved',
  })
  const submit = async () => {
    const { instructions, tone, actions, forwardTo } = draft
    const addresses = forwardTo.split(/[\s,;]+/).filter(Boolean)
    await save.mutateAsync({
      instructions: instructions.trim() || null,
      tone: tone.trim() || null,
      actions: [...actions],
      forward_to: addresses,
    })
    reset()
  }
  const toggle = (action: AgentAction, isOn: boolean) =>
    change({ actions: ACTIONS.filter((one) => (one === action ? isOn : draft.actions.includes(one))) })
  return (
    <Card
      title="What it is told, and what it may do"
      actions={
        <Button
          look="primary"
          needs="inboxes.agent.update"
          disabled={!isChanged}
          isBusy={save.isPending}
          onClick={() => submit().catch(() => {})}
        >
          Save
        </Button>
      }
    >
      <div className="form agent-form">
        <Editable needs="inboxes.agent.update">
          <Field
            label="Instructions"
            hint="What your team does, what kinds of mail come here, and what to do with each. Without instructions it does nothing."
          >
            {(common) => (
              <textarea
                {...common}
                rows={9}
                maxLength={4_000}
                value={draft.instructions}
                placeholder={
                  'We sell bicycles. Label questions about orders “Orders”. Answer where the opening hours are asked for: Monday to Friday, 9 to 17. Forward invoices to our bookkeeper, then archive them.'
                }
                onChange={({ currentTarget }) => change({ instructions: currentTarget.value })}
              />
            )}
          </Field>
          <ChoiceField
            label="Tone of drafts"
            none="As it likes"
            value={draft.isOwnTone ? OWN : draft.tone}
            options={[
              ...TONES.map((value) => ({ value, label: TONE_NAMES[value] })),
              { value: OWN, label: 'In other words…' },
            ]}
            onChange={(value) =>
              change(value === OWN ? { isOwnTone: true, tone: '' } : { isOwnTone: false, tone: value })
            }
          />
          {draft.isOwnTone && (
            <TextField
              label="In your words"
              hint="At most 64 characters."
              value={draft.tone}
              placeholder="warm, without jargon"
              onChange={(tone) => change({ tone: tone.slice(0, 64) })}
            />
          )}
          <fieldset className="agent-actions">
            <legend>It may</legend>
            {ACTIONS.map((action) => (
              <label key={action} className="check">
                <input
                  type="checkbox"
                  checked={draft.actions.includes(action)}
                  onChange={({ currentTarget }) => toggle(action, currentTarget.checked)}
                />
                <span>
                  {ACTION_TEXTS[action].name}
                  <small className="muted">{ACTION_TEXTS[action].hint}</small>
                </span>
              </label>
            ))}
          </fieldset>
          {draft.actions.includes('forward_thread') && (
            <Field label="Addresses that it may forward to" hint="One on each line. No mail can add another.">
              {(common) => (
                <textarea
                  {...common}
                  rows={3}
                  spellCheck={false}
                  value={draft.forwardTo}
                  placeholder="books@example.com"
                  onChange={({ currentTarget }) => change({ forwardTo: currentTarget.value })}
                />
              )}
            </Field>
          )}
        </Editable>
        <p className="muted">
          What it may do is decided here, whatever a mail says. It is asked about each new message, at most once.
        </p>
      </div>
    </Card>
  )
}
