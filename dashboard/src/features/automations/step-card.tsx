import { Handle, Position, useReactFlow, useStoreApi } from '@xyflow/react'
import { type KeyboardEvent, useRef } from 'react'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { AddMenu } from './add-menu.tsx'
import type { CanvasActs, CardNote } from './canvas.tsx'
import type { ConnectionType, Step, StepType } from './graph.ts'
import { CARD } from './layout.ts'
import { texts } from './texts.ts'

export interface CardData extends Record<string, unknown> {
  readonly step: Step
  readonly sentence: string
  readonly outlets: readonly { readonly type: ConnectionType; readonly isFree: boolean }[]
  readonly note: CardNote | undefined
  readonly isSelected: boolean
  /** Where the arrow keys go. */
  readonly neighbours: Readonly<Record<string, string | undefined>>
  readonly onSelect: (key: string | null, focus?: 'form') => void
  readonly acts?: CanvasActs
}

const ICONS: Readonly<Record<StepType, IconName>> = {
  trigger: 'bolt',
  send_email: 'mail',
  delay: 'clock',
  wait_for_event: 'bell',
  condition: 'fork',
  contact_update: 'people',
  contact_delete: 'block',
  add_to_segment: 'layers',
}

/** One step. Enter opens its form, the arrow keys go to its neighbours, Delete asks whether to delete it. */
export function StepCard({ data }: { data: CardData }) {
  const { step, sentence, outlets, note, isSelected, onSelect, acts } = data
  const isFixed = acts === undefined
  const show = useShow()
  const press = (event: KeyboardEvent<HTMLButtonElement>) => {
    const neighbour = data.neighbours[event.key]
    if (neighbour) {
      event.preventDefault()
      document.querySelector<HTMLElement>(`[data-step="${CSS.escape(neighbour)}"]`)?.focus({ preventScroll: true })
    } else if (acts && step.type !== 'trigger' && (event.key === 'Delete' || event.key === 'Backspace')) {
      acts.remove(step.key)
    }
  }
  return (
    <div className={`step-card ${note?.tone ?? 'plain'}${isSelected ? ' selected' : ''}`}>
      {step.type !== 'trigger' && <Handle type="target" position={Position.Top} isConnectable={!isFixed} />}
      <button
        type="button"
        className="step-face nodrag nopan"
        data-step={step.key}
        aria-pressed={isSelected}
        // A click without a mouse is the Enter key: it moves the focus to the form.
        onClick={(event) => onSelect(step.key, event.detail === 0 ? 'form' : undefined)}
        onKeyDown={press}
        onFocus={() => show(step.key)}
      >
        <span className="step-kind">
          <Icon name={ICONS[step.type]} size={14} /> {texts.stepNames[step.type]}
        </span>
        <span className="step-sentence">{sentence}</span>
        {note && <span className={`step-note ${note.tone}`}>{note.text}</span>}
      </button>
      {outlets.map(({ type, isFree }, index) => {
        const left = `${((index + 1) / (outlets.length + 1)) * 100}%`
        return (
          <div key={type}>
            <Handle
              type="source"
              id={type}
              position={Position.Bottom}
              isConnectable={!isFixed}
              className={type === 'default' ? '' : 'named'}
              style={{ left }}
            >
              {type !== 'default' && texts.outlets[type]}
            </Handle>
            {isFree && acts && (
              <span className="step-end" style={{ left }}>
                <AddMenu
                  label={texts.addStep.label}
                  trigger={
                    <button type="button" className="add nodrag nopan" aria-label={addLabelOf(sentence, type)}>
                      <Icon name="plus" size={12} />
                    </button>
                  }
                  onAdd={(kind) => acts.add(kind, { from: step.key, type })}
                />
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
}

const addLabelOf = (sentence: string, outlet: ConnectionType) =>
  outlet === 'default' ? texts.addStep.after(sentence) : texts.addStep.afterOutlet(sentence, texts.outlets[outlet])

/** Scrolls to a card that got the focus by keyboard, if it is out of sight. */
function useShow() {
  const { setCenter, getNode, getViewport } = useReactFlow()
  const store = useStoreApi()
  const show = (key: string) => {
    const node = getNode(key)
    if (!node) return
    const { width, height } = store.getState()
    const { x, y, zoom } = getViewport()
    const [left, top] = [node.position.x * zoom + x, node.position.y * zoom + y]
    const isSeen = left >= 0 && top >= 0 && left + CARD.width * zoom <= width && top + CARD.height * zoom <= height
    if (!isSeen) setCenter(node.position.x + CARD.width / 2, node.position.y + CARD.height / 2, { zoom })
  }
  return useRef(show).current
}
