import { texts } from '../texts.ts'
import { ChanceLine, TextLine } from './fields.tsx'
import { type Refusal, type Refusals, withField, without } from './rules.ts'

const COMMANDS = [
  ['auth', texts.smtpFaults.auth, texts.smtpFaults.authHint],
  ['mail', texts.smtpFaults.mail, texts.smtpFaults.mailHint],
  ['rcpt', texts.smtpFaults.rcpt, texts.smtpFaults.rcptHint],
] as const

interface SmtpFaultsProps {
  readonly smtp: Refusals
  readonly onChange: (smtp: Refusals) => void
}

/** What the SMTP port refuses of a program that submits mail. */
export const SmtpFaults = ({ smtp, onChange }: SmtpFaultsProps) => (
  <div className="smtp-faults">
    {COMMANDS.map(([name, label, what]) => {
      const refusal = smtp[name]
      const change = (next: Refusal) => onChange({ ...smtp, [name]: next })
      return (
        <div className="form" key={name}>
          <label className="check">
            <input
              type="checkbox"
              checked={refusal !== undefined}
              onChange={(event) =>
                onChange(event.currentTarget.checked ? { ...smtp, [name]: { probability: 1 } } : without(smtp, name))
              }
            />
            <span>
              {label}
              <small className="muted">{what}</small>
            </span>
          </label>
          {refusal && (
            <>
              <TextLine
                path={`smtp.${name}.reply`}
                label={texts.smtpFaults.reply}
                hint={texts.smtpFaults.replyHint}
                placeholder={texts.smtpFaults.replyPlaceholder}
                value={refusal.reply ?? ''}
                onChange={(text) => change(withField(refusal, 'reply', text || undefined))}
              />
              <ChanceLine
                path={`smtp.${name}.probability`}
                label={texts.conditions.probabilityPercent}
                value={refusal.probability ?? 1}
                onChange={(probability) => change({ ...refusal, probability })}
              />
            </>
          )}
        </div>
      )
    })}
  </div>
)
