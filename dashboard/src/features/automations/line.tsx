import { BaseEdge, EdgeLabelRenderer } from '@xyflow/react'
import { Icon } from '../../ui/icons.tsx'
import { AddMenu } from './add-menu.tsx'
import type { StepType } from './graph.ts'
import { CARD, type Point } from './layout.ts'
import { texts } from './texts.ts'

export interface LineData extends Record<string, unknown> {
  /** Where it passes rows. */
  readonly through: readonly Point[]
  readonly word: string | undefined
  /** Names the button that inserts a step. */
  readonly addLabel: string
  readonly onAdd?: (type: StepType) => void
  readonly onCut?: () => void
}

interface LineProps {
  readonly id: string
  readonly sourceX: number
  readonly sourceY: number
  readonly targetX: number
  readonly targetY: number
  readonly data?: LineData
}

/** Where the button is, on the first curve: nearer to its beginning, since lines that meet are close to each other at their ends. */
const AT = { x: 0.28, y: 0.38 } as const

/** A line between two steps, with a place on it to put another step there. */
export function Line({ id, sourceX, sourceY, targetX, targetY, data }: LineProps) {
  const { through = [], word, addLabel, onAdd, onCut } = data ?? {}
  const first = through[0] ?? { x: targetX, y: targetY }
  const labelPoint = { x: sourceX + (first.x - sourceX) * AT.x, y: sourceY + (first.y - sourceY) * AT.y }
  return (
    <>
      <BaseEdge
        id={id}
        path={pathOf({ x: sourceX, y: sourceY }, through, { x: targetX, y: targetY })}
        interactionWidth={0}
      />
      <EdgeLabelRenderer>
        <span className="line-label" style={{ translate: `${labelPoint.x}px ${labelPoint.y}px` }}>
          {onAdd && onCut && (
            <AddMenu
              label={texts.addStep.label}
              trigger={
                <button type="button" className="add nodrag nopan" aria-label={addLabel}>
                  <Icon name="plus" size={12} />
                </button>
              }
              onAdd={onAdd}
              others={[{ label: texts.removeConnection, isDangerous: true, onChoose: onCut }]}
            />
          )}
          {word && <span className="line-word">{word}</span>}
        </span>
      </EdgeLabelRenderer>
    </>
  )
}

/** Curves between rows, straight where it passes one. */
function pathOf(from: Point, through: readonly Point[], to: Point): string {
  const parts = [`M ${from.x} ${from.y}`]
  let last = from
  const curve = (next: Point) => {
    const middle = (last.y + next.y) / 2
    parts.push(`C ${last.x} ${middle} ${next.x} ${middle} ${next.x} ${next.y}`)
  }
  for (const point of through) {
    curve(point)
    last = { x: point.x, y: point.y + CARD.height }
    parts.push(`L ${last.x} ${last.y}`)
  }
  curve(to)
  return parts.join(' ')
}
