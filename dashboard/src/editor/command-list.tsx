import { type ReactNode, useEffect, useRef } from 'react'
import { texts } from './texts.ts'

interface Command {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly icon?: ReactNode
}

interface CommandListProps {
  readonly label: string
  readonly items: readonly Command[]
  readonly selected: number
  readonly onChoose: (index: number) => void
}

/** What can be inserted. The focus stays in the text: arrows and Enter go through it. */
export function CommandList({ label, items, selected, onChoose }: CommandListProps) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is selected
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [selected])
  if (items.length === 0) return <p className="command-list empty-list">{texts.canvas.noResults}</p>
  return (
    <div className="command-list" role="listbox" aria-label={label} ref={list} tabIndex={-1}>
      {items.map(({ key, title, description, icon }, index) => (
        <button
          key={key}
          type="button"
          role="option"
          tabIndex={-1}
          aria-selected={index === selected}
          onMouseDown={(event) => event.preventDefault()} // the text keeps the focus
          onClick={() => onChoose(index)}
        >
          {icon}
          <span>
            <strong>{title}</strong>
            <small>{description}</small>
          </span>
        </button>
      ))}
    </div>
  )
}
