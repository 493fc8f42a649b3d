import { ChanceLine, TextLine } from './fields.tsx'
import { type Refusal, type Refusals, withField, without } from './rules.ts'

const COMMANDS = [
  ['auth', 'At AUTH', 'Rejects sign-ins.'],
  ['mail', 'At MAIL', 'Rejects senders.'],
  ['rcpt', 'At RCPT', 'Rejects recipients.'],
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
                label="Reply"
                hint="Code and text. Leave empty for the default."
                placeholder="451 4.3.0 try again later"
                value={refusal.reply ?? ''}
                onChange={(text) => change(withField(refusal, 'reply', text || undefined))}
              />
              <ChanceLine
                path={`smtp.${name}.probability`}
                label="Probability (%)"
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
