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
import { texts } from './texts.ts'

const TONE_NAMES: Readonly<Record<(typeof TONES)[number], string>> = {
  concise_professional: texts.tones.conciseProfessional,
  concise_casual: texts.tones.conciseCasual,
  expanded_professional: texts.tones.detailedProfessional,
  expanded_casual: texts.tones.detailedCasual,
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
    done: texts.form.saved,
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
      title={texts.form.title}
      actions={
        <Button
          look="primary"
          needs="inboxes.agent.update"
          disabled={!isChanged}
          isBusy={save.isPending}
          onClick={() => submit().catch(() => {})}
        >
          {texts.form.save}
        </Button>
      }
    >
      <div className="form agent-form">
        <Editable needs="inboxes.agent.update">
          <Field label={texts.form.instructions} hint={texts.form.instructionsHint}>
            {(common) => (
              <textarea
                {...common}
                rows={9}
                maxLength={4_000}
                value={draft.instructions}
                placeholder={texts.form.instructionsPlaceholder}
                onChange={({ currentTarget }) => change({ instructions: currentTarget.value })}
              />
            )}
          </Field>
          <ChoiceField
            label={texts.form.tone}
            none={texts.form.defaultTone}
            value={draft.isOwnTone ? OWN : draft.tone}
            options={[
              ...TONES.map((value) => ({ value, label: TONE_NAMES[value] })),
              { value: OWN, label: texts.form.customTone },
            ]}
            onChange={(value) =>
              change(value === OWN ? { isOwnTone: true, tone: '' } : { isOwnTone: false, tone: value })
            }
          />
          {draft.isOwnTone && (
            <TextField
              label={texts.form.customToneLabel}
              hint={texts.form.customToneHint}
              value={draft.tone}
              placeholder={texts.form.customTonePlaceholder}
              onChange={(tone) => change({ tone: tone.slice(0, 64) })}
            />
          )}
          <fieldset className="agent-actions">
            <legend>{texts.form.permissions}</legend>
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
            <Field label={texts.form.forwardTo} hint={texts.form.forwardToHint}>
              {(common) => (
                <textarea
                  {...common}
                  rows={3}
                  spellCheck={false}
                  value={draft.forwardTo}
                  placeholder={texts.form.forwardToPlaceholder}
                  onChange={({ currentTarget }) => change({ forwardTo: currentTarget.value })}
                />
              )}
            </Field>
          )}
        </Editable>
        <p className="muted">{texts.form.permissionsNote}</p>
      </div>
    </Card>
  )
}
