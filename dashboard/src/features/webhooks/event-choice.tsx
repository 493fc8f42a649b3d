import { WEBHOOK_EVENTS } from '../../../../src/features/webhooks/schema.ts'
import type { EventName } from './api.ts'
import './event-choice.css'
import { texts } from './texts.ts'

interface EventChoiceProps {
  readonly chosen: readonly EventName[]
  readonly onChange: (chosen: readonly EventName[]) => void
  /** Something above says already what is chosen here. */
  readonly isTitled?: boolean
}

/** `email`, `contact`…: what the events are about. */
const GROUPS = [...new Set(WEBHOOK_EVENTS.map((event) => event.slice(0, event.indexOf('.'))))]

/** Each event for itself, or all about one thing at once. */
export function EventChoice({ chosen, onChange, isTitled = false }: EventChoiceProps) {
  const toggle = (events: readonly EventName[], isOn: boolean) => {
    const others = chosen.filter((event) => !events.includes(event))
    onChange(isOn ? [...others, ...events] : others)
  }
  return (
    <fieldset className="event-choice">
      <legend className={isTitled ? 'hidden' : ''}>{texts.fields.events}</legend>
      {GROUPS.map((group) => {
        const events = WEBHOOK_EVENTS.filter((event) => event.startsWith(`${group}.`))
        return (
          <div key={group}>
            <Check
              name={texts.eventGroup(group)}
              isOn={events.every((event) => chosen.includes(event))}
              onToggle={(isOn) => toggle(events, isOn)}
            />
            <ul>
              {events.map((event) => (
                <li key={event}>
                  <Check name={event} isOn={chosen.includes(event)} onToggle={(isOn) => toggle([event], isOn)} />
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </fieldset>
  )
}

const Check = ({ name, isOn, onToggle }: { name: string; isOn: boolean; onToggle: (isOn: boolean) => void }) => (
  <label className="check">
    <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onToggle(currentTarget.checked)} />
    <span>{name}</span>
  </label>
)
