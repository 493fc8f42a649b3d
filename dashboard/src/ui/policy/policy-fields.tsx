import type { ReactNode } from 'react'
import { ChoiceField, Field } from '../field.tsx'
import { Switch } from '../switch.tsx'
import type { PolicyDraft, PolicyField } from './policy-draft.ts'
import './policy-fields.css'
import { PolicySummary } from './policy-summary.tsx'
import { texts } from './texts.ts'
import type { PolicyForm } from './use-policy-draft.ts'

export interface Segment {
  readonly value: string
  readonly label: string
}

interface PolicyFieldsProps {
  readonly form: PolicyForm
  /** Left out where nobody knows them yet: before a team is chosen. */
  readonly segments?: readonly Segment[] | undefined
}

/** What can be said in a policy. The same wherever one is written: for an API key, an app, an inbox's agent. */
export function PolicyFields({ form, segments }: PolicyFieldsProps) {
  const { draft, policy, change } = form
  const { fields } = texts
  return (
    <div className="policy-fields">
      <section aria-label={fields.recipients.label}>
        <h3>{fields.recipients.label}</h3>
        <Switch
          label={fields.recipients.label}
          options={[
            ['anyone', fields.recipients.anyone],
            ['some', fields.recipients.some],
          ]}
          value={draft.recipients ? 'some' : 'anyone'}
          onChange={(value) => change({ recipients: value === 'some' })}
        />
        {draft.recipients && <Recipients form={form} segments={segments} />}
        <Problem form={form} field="recipients" />
      </section>
      <section aria-label={fields.limits}>
        <h3>{fields.limits}</h3>
        <div className="policy-limits">
          <NumberLine form={form} field="max_emails_per_hour" label={fields.perHour} />
          <NumberLine form={form} field="max_emails_per_day" label={fields.perDay} />
          <NumberLine form={form} field="max_emails_per_recipient_per_day" label={fields.perRecipient} />
        </div>
        <small className="muted">{fields.limitsHint}</small>
      </section>
      <section aria-label={fields.content}>
        <h3>{fields.content}</h3>
        <ListLine form={form} field="senders" {...fields.senders} />
        <Flag form={form} field="templates_only" {...fields.templatesOnly} />
        <Flag form={form} field="no_bcc" {...fields.noBcc} />
      </section>
      <section aria-label={fields.approval}>
        <h3>{fields.approval}</h3>
        <Flag form={form} field="hold" {...fields.hold} />
        {draft.hold && (
          <div className="policy-part">
            <ListLine form={form} field="hold.notify" {...fields.notify} />
            <NumberLine form={form} field="hold.expires_in_hours" {...fields.expires} />
          </div>
        )}
      </section>
      <section aria-label={fields.trial}>
        <h3>{fields.trial}</h3>
        <Flag form={form} field="dry_run" {...fields.dryRun} />
        <Problem form={form} field="dry_run" />
      </section>
      {policy && (
        <section aria-label={texts.allows}>
          <h3>{texts.allows}</h3>
          <PolicySummary policy={policy} segments={segments ?? []} />
        </section>
      )}
    </div>
  )
}

function Recipients({ form, segments }: PolicyFieldsProps) {
  const { draft, change } = form
  const { fields } = texts
  const chosen = draft['recipients.segment_id']
  // One that is not among the first hundred, or was deleted, stays until another one is chosen.
  const isUnknown = chosen !== '' && !segments?.some(({ value }) => value === chosen)
  return (
    <div className="policy-part">
      <ListLine form={form} field="recipients.addresses" {...fields.addresses} />
      <ListLine form={form} field="recipients.domains" {...fields.domains} />
      {segments && (segments.length > 0 || isUnknown) && (
        <>
          <ChoiceField
            label={fields.segment.label}
            none={fields.segment.none}
            options={[...segments, ...(isUnknown ? [{ value: chosen, label: fields.segment.unknown }] : [])]}
            value={chosen}
            onChange={(value) => change({ 'recipients.segment_id': value })}
          />
          <Problem form={form} field="recipients.segment_id" />
        </>
      )}
      <Flag form={form} field="recipients.wrote_first" {...fields.wroteFirst} />
    </div>
  )
}

type FieldOf<Value> = { [Name in PolicyField]: PolicyDraft[Name] extends Value ? Name : never }[PolicyField]

interface LineProps<Value> {
  readonly form: PolicyForm
  readonly field: FieldOf<Value>
  readonly label: string
  readonly hint?: string
  readonly placeholder?: string
}

const ListLine = ({ form: { draft, problems, change }, field, label, hint, placeholder }: LineProps<string>) => (
  <Field label={label} {...(hint && { hint })} problem={problems[field]}>
    {(common) => (
      <textarea
        {...common}
        rows={2}
        spellCheck={false}
        autoComplete="off"
        value={draft[field]}
        placeholder={placeholder}
        onChange={({ currentTarget }) => change({ [field]: currentTarget.value })}
      />
    )}
  </Field>
)

/** A field of text: what is no number is said in our words, at the field, and not lost by the browser. */
const NumberLine = ({ form: { draft, problems, change }, field, label, hint }: LineProps<string>) => (
  <Field label={label} {...(hint && { hint })} problem={problems[field]}>
    {(common) => (
      <input
        {...common}
        inputMode="numeric"
        autoComplete="off"
        value={draft[field]}
        onChange={({ currentTarget }) => change({ [field]: currentTarget.value })}
      />
    )}
  </Field>
)

const Flag = ({ form: { draft, change }, field, label, hint }: LineProps<boolean>) => (
  <label className="check">
    <input
      type="checkbox"
      checked={draft[field]}
      onChange={({ currentTarget }) => change({ [field]: currentTarget.checked })}
    />
    <span>
      {label}
      {hint && <small className="muted">{hint}</small>}
    </span>
  </label>
)

/** What is wrong with a part that is no single input. */
const Problem = ({ form: { problems }, field }: { form: PolicyForm; field: PolicyField }): ReactNode =>
  problems[field] && (
    <small className="field-problem" role="alert">
      {problems[field]}
    </small>
  )
