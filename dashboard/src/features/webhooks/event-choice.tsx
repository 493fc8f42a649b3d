import { WEBHOOK_EVENTS } from './api.ts'

interface EventChoiceProps {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export function EventChoice({ chosen, onChange }: EventChoiceProps) {
  const toggle = (event: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, event] : chosen.filter((one) => one !== event))
  return (
    <fieldset className="event-choice">
      <legend>Events</legend>
      {WEBHOOK_EVENTS.map((event) => (
        <label className="check" key={event}>
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={({ currentTarget }) => toggle(event, currentTarget.checked)}
          />
          <span>{event}</span>
        </label>
      ))}
    </fieldset>
  )
}
