import { VARIABLE_TYPES, type VariableType } from '../../../../src/features/templates/schema.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import type { Samples, VariableDraft } from './draft.ts'
import './variables.css'
import '../../ui/table.css'
import { texts } from './texts.ts'

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
      <legend>{texts.variables.title}</legend>
      {variables.length > 0 && (
        <table aria-label={texts.variables.title}>
          <thead>
            <tr>
              <th scope="col">{texts.variables.key}</th>
              <th scope="col">{texts.variables.type}</th>
              <th scope="col">{texts.variables.fallback}</th>
              <th scope="col">{texts.variables.previewValue}</th>
              <th scope="col">
                <span className="hidden">{texts.variables.remove}</span>
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
                    aria-label={texts.variables.typeOf(key)}
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
                    aria-label={texts.variables.fallbackOf(key)}
                    value={fallback}
                    placeholder={texts.variables.fallbackPlaceholder}
                    onChange={(event) => change(index, { fallback: event.currentTarget.value })}
                  />
                </td>
                <td>
                  <input
                    aria-label={texts.variables.previewValueOf(key)}
                    value={samples[key] ?? ''}
                    onChange={(event) => onSample({ ...samples, [key]: event.currentTarget.value })}
                  />
                </td>
                <td>
                  <IconButton
                    icon="close"
                    label={texts.variables.removeOf(key)}
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
          {texts.variables.declare(name)}
        </Button>
      ))}
      {variables.length === 0 && undeclared.length === 0 && <p className="muted">{texts.variables.empty}</p>}
    </fieldset>
  )
}
