import { createContext, type ReactNode, useContext } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { texts } from '../texts.ts'
import { percentOf } from './sentences.ts'

/** What the API has refused: the field that it names, and why. */
export interface Refused {
  readonly field: string | null
  readonly reason: string
}

const Refusal = createContext<Refused | null>(null)
export const RefusalProvider = Refusal.Provider

/** What is wrong with the field at this path. */
function useProblem(path: string): string | undefined {
  const refused = useContext(Refusal)
  return refused?.field === path ? refused.reason : undefined
}

interface CommonProps {
  /** As the API names it: `rules[0].match.to`. */
  readonly path: string
  readonly label: string
  readonly hint?: string
  /** Takes the field away. Left out for what has to be there. */
  readonly onDrop?: () => void
}

/** A field with a button that takes it away. */
function Line({
  path,
  label,
  hint,
  onDrop,
  children,
}: CommonProps & { children: Parameters<typeof Field>[0]['children'] }) {
  return (
    <div className="rule-line">
      <Field label={label} {...(hint && { hint })} problem={useProblem(path)}>
        {children}
      </Field>
      {onDrop && <IconButton icon="close" label={texts.rule.removeField(label)} onClick={onDrop} />}
    </div>
  )
}

interface TextProps extends CommonProps {
  readonly value: string
  readonly placeholder?: string
  readonly isLong?: boolean
  readonly onChange: (value: string) => void
}

export const TextLine = ({ value, placeholder, isLong = false, onChange, ...common }: TextProps) => (
  <Line {...common}>
    {(given) =>
      isLong ? (
        <textarea {...given} rows={2} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      ) : (
        <input
          {...given}
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    }
  </Line>
)

interface NumberProps extends CommonProps {
  readonly value: number
  readonly min: number
  readonly max: number
  readonly onChange: (value: number) => void
}

export const NumberLine = ({ value, min, max, onChange, ...common }: NumberProps) => (
  <Line {...common}>
    {(given) => (
      <input
        {...given}
        type="number"
        min={min}
        max={max}
        required
        value={value}
        onChange={({ currentTarget }) => currentTarget.value !== '' && onChange(currentTarget.valueAsNumber)}
      />
    )}
  </Line>
)

/** A chance is a number from 0 to 1, and read as percent. */
export const ChanceLine = ({ value, onChange, ...common }: Omit<NumberProps, 'min' | 'max'>) => (
  <Line {...common}>
    {(given) => (
      <input
        {...given}
        type="number"
        min={0}
        max={100}
        step="any"
        required
        value={percentOf(value)}
        onChange={({ currentTarget }) =>
          currentTarget.value !== '' && onChange(Math.round(currentTarget.valueAsNumber * 10) / 1_000)
        }
      />
    )}
  </Line>
)

interface ChoiceProps<Value extends string> extends CommonProps {
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onChange: (value: Value) => void
}

export const ChoiceLine = <Value extends string>({ value, options, onChange, ...common }: ChoiceProps<Value>) => (
  <Line {...common}>
    {(given) => (
      <select {...given} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Line>
)

interface RuleFrameProps {
  readonly path: string
  readonly title: string
  readonly at: number
  readonly count: number
  readonly onMove: (by: 1 | -1) => void
  readonly onDrop: () => void
  readonly children: ReactNode
}

/** One of several rules, of which the first that fits counts: their order can be changed. */
export function RuleFrame({ path, title, at, count, onMove, onDrop, children }: RuleFrameProps) {
  const number = at + 1
  const problem = useWholeProblem(path)
  return (
    <section className="rule" aria-label={texts.rule.label(number)}>
      <header>
        <h3>
          <span className="muted">{number}.</span> {title}
        </h3>
        <IconButton icon="up" label={texts.rule.moveUp(number)} disabled={at === 0} onClick={() => onMove(-1)} />
        <IconButton
          icon="down"
          label={texts.rule.moveDown(number)}
          disabled={number === count}
          onClick={() => onMove(1)}
        />
        <IconButton icon="trash" label={texts.rule.delete(number)} onClick={onDrop} />
      </header>
      {problem && <p className="form-error">{problem}</p>}
      {children}
    </section>
  )
}

/** About a rule as a whole, or a part of it that is no field. */
function useWholeProblem(path: string): string | undefined {
  const refused = useContext(Refusal)
  const isMeant = refused?.field && [path, `${path}.match`, `${path}.outcome`].includes(refused.field)
  return isMeant ? refused.reason : undefined
}
