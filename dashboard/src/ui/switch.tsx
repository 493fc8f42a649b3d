import './switch.css'

interface SwitchProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [Value, string])[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** One of a few ways to look at the same thing. */
export const Switch = <Value extends string>({ label, options, value, onChange }: SwitchProps<Value>) => (
  <fieldset className="switch">
    <legend className="hidden">{label}</legend>
    {options.map(([one, name]) => (
      <button key={one} type="button" aria-pressed={one === value} onClick={() => onChange(one)}>
        {name}
      </button>
    ))}
  </fieldset>
)
