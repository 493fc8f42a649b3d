import { type FormEvent, useState } from 'react'
import { useAllowed } from '../../ui/allowed.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import './labels.css'
import { texts } from './texts.ts'

const MOST = 50

interface LabelsProps {
  readonly labels: readonly string[]
  readonly onChange: (labels: string[]) => void
  /** Looks for all that have it. */
  readonly onChoose: (label: string) => void
}

/** Words that somebody has put on a message. */
export function Labels({ labels, onChange, onChoose }: LabelsProps) {
  const mayChange = useAllowed()('messages.update')
  const [isAdding, setAdding] = useState(false)
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('label')).trim()
    if (name && !labels.includes(name)) onChange([...labels, name])
    setAdding(false)
  }
  return (
    <div className="labels-line">
      {labels.map((label) => (
        <span className="label-of-message" key={label}>
          <button type="button" title={texts.labels.showMessages} onClick={() => onChoose(label)}>
            {label}
          </button>
          {mayChange && (
            <button
              type="button"
              aria-label={texts.labels.remove(label)}
              onClick={() => onChange(labels.filter((one) => one !== label))}
            >
              <Icon name="close" size={12} />
            </button>
          )}
        </span>
      ))}
      {isAdding ? (
        <form onSubmit={add}>
          <input
            name="label"
            aria-label={texts.labels.newLabel}
            maxLength={100}
            pattern="[^,]+"
            title={texts.labels.noCommas}
            // biome-ignore lint/a11y/noAutofocus: somebody has just asked for it
            autoFocus
            onKeyDown={(event) => event.key === 'Escape' && setAdding(false)}
          />
          <Button type="submit">{texts.labels.add}</Button>
        </form>
      ) : (
        labels.length < MOST && (
          <Button look="quiet" icon="tag" needs="messages.update" onClick={() => setAdding(true)}>
            {texts.labels.label}
          </Button>
        )
      )}
    </div>
  )
}
