import { VARIABLE_TYPES, type VariableType } from '../../../../src/features/templates/schema.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { Samples, VariableDraft } from './draft.ts'
import './variables.css'
import '../../ui/table.css'

interface VariablesProps {
  readonly variables: readonly VariableDraft[]
  /** Gaps in the text that nothing is said about yet. */
  readonly undeclared: readonly string[]
  readonly samples: Samples
  readonly onChange: (variables: readonly VariableDraft[]) => void
  readonly onSample: (samples: Samples) => void
}

export function Variables({ variables, undeclared, samples, onChange, onSample }: VariablesProps) {
  const change = (index: number, part: Partial<VariableDraft>) =>
    onChange(variables.map((one, at) => (at === index ? { ...one, ...part } : one)))
  const declare = (key: string) => onChange([...variables, { key, type: 'string', fallback: '' }])
  return (
    <fieldset className="variables">
      <legend>Variables</legend>
      {variables.length > 0 && (
        <table aria-label="Variables">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Type</th>
              <th scope="col">Fallback</th>
              <th scope="col">Try with</th>
              <th scope="col">
                <span className="hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {variables.map(({ key, type, fallback }, index) => (
              <tr key={key}>
                <td>
                  <code>{key}</code>
                </td>
                <td>
                  <select
                    aria-label={`Type of ${key}`}
                    value={type}
                    onChange={(event) => change(index, { type: event.currentTarget.value as VariableType })}
                  >
                    {VARIABLE_TYPES.map((one) => (
                      <option key={one}>{one}</option>
                    ))}
                  </select>
                </td>
                <td>
                  <input
                    aria-label={`Fallback of ${key}`}
                    value={fallback}
                    placeholder="required"
                    onChange={(event) => change(index, { fallback: event.currentTarget.value })}
                  />
                </td>
                <td>
                  <input
                    aria-label={`Value of ${key} in the preview`}
                    value={samples[key] ?? ''}
                    onChange={(event) => onSample({ ...samples, [key]: event.currentTarget.value })}
                  />
                </td>
                <td>
                  <IconButton
                    icon="close"
                    label={`Remove ${key}`}
                    onClick={() => onChange(variables.filter((_, at) => at !== index))}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {undeclared.map((name) => (
        <Button key={name} icon="plus" onClick={() => declare(name)}>
          Declare {name}
        </Button>
      ))}
      {variables.length === 0 && undeclared.length === 0 && (
        <p className="muted">
          Write {'{{{NAME}}}'} or {'{{{NAME|fallback}}}'} where a value goes.
        </p>
      )}
    </fieldset>
  )
}
