import {
  Background,
  Controls,
  type Edge,
  type Node,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import flowStyles from '@xyflow/react/dist/base.css?url'
import { useEffect, useMemo, useRef } from 'react'
import {
  type ConnectionType,
  canLeadTo,
  connect,
  type Graph,
  outletsOf,
  type Step,
  type StepType,
  targetOf,
} from './graph.ts'
import { CARD, type Layout, lineId } from './layout.ts'
import { Line, type LineData } from './line.tsx'
import { type Names, sentenceOf } from './sentences.ts'
import { type CardData, StepCard } from './step-card.tsx'
import './canvas.css'
import { texts } from './texts.ts'

/** What is shown of a step besides what it does. */
export interface CardNote {
  readonly text: string
  readonly tone: 'good' | 'bad' | 'warn' | 'busy' | 'plain'
}

/** The edits of a graph on the canvas. Without them it is read-only. */
export interface CanvasActs {
  put(graph: Graph): void
  add(type: StepType, outlet: { from: string; type: ConnectionType }): void
  cut(outlet: { from: string; type: ConnectionType }): void
  remove(key: string): void
}

export interface CanvasProps {
  readonly label: string
  readonly graph: Graph
  readonly layout: Layout
  readonly names: Names
  readonly selected: string | null
  readonly onSelect: (key: string | null, focus?: 'form') => void
  readonly noteOf: (key: string) => CardNote | undefined
  /** What is written at a line: how many took it. */
  readonly wordAt: (line: string) => string | undefined
  readonly acts?: CanvasActs
}

const NODE_TYPES = { step: StepCard }
const EDGE_TYPES = { line: Line }

/** The graph, drawn. In a file of its own, since React Flow is fetched with it. */
export default function Canvas(props: CanvasProps) {
  return (
    <section className="canvas" aria-label={props.label}>
      <link rel="stylesheet" href={flowStyles} precedence="default" />
      <ReactFlowProvider>
        <Flow {...props} />
      </ReactFlowProvider>
    </section>
  )
}

function Flow(props: CanvasProps) {
  const { graph, layout, onSelect, acts } = props
  useView(layout)
  const shown = { ...props, ...useSameActs(props) }
  const nodes = useUnchanged(nodesOf(shown))
  const edges = useUnchanged(edgesOf(shown))
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      edgeTypes={EDGE_TYPES}
      nodesDraggable={false}
      nodesConnectable={acts !== undefined}
      // Cards and lines have buttons of their own, with names.
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      deleteKeyCode={null}
      disableKeyboardA11y
      connectionRadius={60}
      zoomOnDoubleClick={false}
      zoomActivationKeyCode="Control"
      zoomOnScroll={false}
      panOnScroll
      preventScrolling
      minZoom={0.2}
      maxZoom={1.5}
      proOptions={{ hideAttribution: true }}
      isValidConnection={({ source, target }) => canLeadTo(graph, source, target)}
      onConnect={({ source, sourceHandle, target }) =>
        acts?.put(connect(graph, { from: source, type: sourceHandle as ConnectionType }, target))
      }
      onPaneClick={() => onSelect(null)}
    >
      <Background gap={24} size={1} />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}

/** The same functions at each turn, which do what those of the last turn do. */
function useSameActs(props: CanvasProps): Pick<CanvasProps, 'onSelect' | 'acts'> {
  const latest = useRef(props)
  latest.current = props
  const isFixed = props.acts === undefined
  return useMemo(() => {
    const onSelect: CanvasProps['onSelect'] = (...given) => latest.current.onSelect(...given)
    if (isFixed) return { onSelect }
    const acts: CanvasActs = {
      put: (...given) => latest.current.acts?.put(...given),
      add: (...given) => latest.current.acts?.add(...given),
      cut: (...given) => latest.current.acts?.cut(...given),
      remove: (...given) => latest.current.acts?.remove(...given),
    }
    return { onSelect, acts }
  }, [isFixed])
}

/** The same objects as before for what has not changed: all of 150 cards at each key in a form took 300 ms. */
function useUnchanged<One extends { id: string }>(items: readonly One[]): One[] {
  const before = useRef(new Map<string, { readonly one: One; readonly text: string }>())
  const next = items.map((one) => {
    const text = JSON.stringify(one)
    const old = before.current.get(one.id)
    return old?.text === text ? old : { one, text }
  })
  before.current = new Map(next.map((each) => [each.one.id, each]))
  return next.map(({ one }) => one)
}

const EDGE_OF_VIEW = 32
const READABLE = 0.75

/** Shows as much as can be read, from the top; when there is another number of cards, again. */
function useView({ cards }: Layout) {
  const { setViewport } = useReactFlow()
  const width = useStore((state) => state.width)
  const height = useStore((state) => state.height)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is moved by hand stays, until there is another card
  useEffect(() => {
    if (!width || !height) return
    const xs = [...cards.values()].map(({ x }) => x)
    const ys = [...cards.values()].map(({ y }) => y)
    const [left, right] = [Math.min(...xs), Math.max(...xs) + CARD.width]
    const bottom = Math.max(...ys) + CARD.height + EDGE_OF_VIEW
    const available = { x: width - 2 * EDGE_OF_VIEW, y: height - 2 * EDGE_OF_VIEW }
    const zoom = Math.min(1, Math.max(READABLE, Math.min(available.x / (right - left), available.y / bottom)))
    setViewport({ x: width / 2 - ((left + right) / 2) * zoom, y: EDGE_OF_VIEW, zoom })
  }, [cards.size, width, height])
}

function nodesOf({ graph, layout, names, selected, onSelect, noteOf, acts }: CanvasProps): Node<CardData>[] {
  const byKey = new Map(graph.steps.map((step) => [step.key, step]))
  const neighbours = neighboursOf(graph, layout)
  return layout.order.flatMap((key) => {
    const step = byKey.get(key)
    if (!step) return []
    return {
      id: key,
      type: 'step',
      position: layout.cards.get(key)!,
      ...CARD,
      sourcePosition: Position.Bottom,
      targetPosition: Position.Top,
      data: {
        step,
        sentence: sentenceOf(step, names),
        outlets: outletsOf(step).map((outlet) => ({
          type: outlet.type,
          isFree: targetOf(graph, outlet) === undefined,
        })),
        note: noteOf(key),
        isSelected: key === selected,
        neighbours: neighbours(step),
        onSelect,
        ...(acts && { acts }),
      },
    }
  })
}

/** Where the arrow keys go: along the lines, and to the sides in a row. */
function neighboursOf({ connections }: Graph, { order, cards }: Layout) {
  return ({ key }: Step): CardData['neighbours'] => {
    const row = order.filter((other) => cards.get(other)!.y === cards.get(key)?.y)
    const at = row.indexOf(key)
    return {
      ArrowUp: connections.find(({ to }) => to === key)?.from,
      ArrowDown: connections.find(({ from }) => from === key)?.to,
      ArrowLeft: row[at - 1],
      ArrowRight: row[at + 1],
    }
  }
}

const edgesOf = ({ graph, layout, names, wordAt, acts }: CanvasProps): Edge<LineData>[] => {
  const sentences = new Map(graph.steps.map((step) => [step.key, sentenceOf(step, names)]))
  return graph.connections.map((connection) => {
    const id = lineId(connection)
    const { from, to, type } = connection
    return {
      id,
      type: 'line',
      source: from,
      sourceHandle: type,
      target: to,
      data: {
        through: layout.lines.get(id) ?? [],
        word: wordAt(id),
        addLabel: texts.addStep.between(sentences.get(from) ?? '', sentences.get(to) ?? ''),
        ...(acts && {
          onAdd: (kind: StepType) => acts.add(kind, { from, type }),
          onCut: () => acts.cut({ from, type }),
        }),
      },
    }
  })
}
