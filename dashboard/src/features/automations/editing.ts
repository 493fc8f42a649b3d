import { useEffect, useMemo, useRef, useState } from 'react'
import { call, type Reply } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { useDraft } from '../../ui/draft.ts'
import {
  addStep,
  drawn,
  type Graph,
  type Outlet,
  outletsOf,
  removeStep,
  type StepType,
  sent,
  stepOf,
  targetOf,
} from './graph.ts'
import { NO_HISTORY, recorded, redone, undone } from './history.ts'
import { type Layout, layOut } from './layout.ts'
import { type Problems, problemsOf, stepNamedIn } from './problems.ts'
import { type Resources, useResources } from './resources.ts'
import { useSeenFields } from './seen-fields.ts'
import { texts } from './texts.ts'
import type { FieldType } from './variables.ts'

export type FullAutomation = Reply<'automations.get'>

/** Where the keyboard goes with a choice. */
type Focus = 'card' | 'form'

/** An automation that is being drawn: the graph, what is chosen of it, what is wrong with it, and how it is saved. */
export function useEditing(automation: FullAutomation) {
  const known = useResources()
  const seen = useSeenFields(automation.id)
  const { draft, isChanged, change, reset } = useDraft({ name: automation.name, graph: drawn(automation) })
  const { graph } = draft
  const [history, setHistory] = useState(NO_HISTORY)
  const resources = withSeenFields(known, graph, seen)
  const [selected, setSelected] = useState<string | null>(null)
  const [refusal, setRefusal] = useState<{ readonly key: string; readonly text: string } | null>(null)
  const focusOn = useFocus(selected)
  const layout = useLayout(graph)
  const problems = withRefusal(problemsOf(graph), refusal)
  const select = (key: string | null, focus?: Focus) => {
    if (focus) focusOn(key ?? selected, focus)
    setSelected(key)
  }
  const put = (next: Graph) => {
    setRefusal(null)
    setHistory(recorded(history, graph, next))
    change({ graph: next })
  }
  const step = (move: typeof undone) => {
    const moved = move(history, graph)
    if (!moved) return
    setRefusal(null)
    setHistory(moved.history)
    change({ graph: moved.graph })
  }
  // Of one that is enabled the steps are replaced at once: it is not disabled in between, and what is refused changes nothing.
  const isEnabled = automation.status === 'enabled'
  const saving = useAct({
    run: () =>
      call(isEnabled ? 'automations.steps.replace' : 'automations.update', {
        id: automation.id,
        body: { name: draft.name, ...sent(graph) },
      }),
    refresh: ['automations'],
    done: isEnabled ? texts.actions.savedWhileEnabled : texts.actions.saved,
  })
  const save = async () => {
    const wrong = layout.order.find((key) => problems.get(key)?.isFatal && refusal?.key !== key)
    if (wrong) {
      select(wrong, 'form')
      throw new Error(problems.get(wrong)!.text)
    }
    try {
      await saving.mutateAsync()
      reset()
    } catch (reason) {
      const { message } = reason as Error
      const key = stepNamedIn(graph, message)
      if (key) {
        setRefusal({ key, text: message })
        select(key, 'form')
      }
      throw reason
    }
  }
  return {
    ...{ resources, graph, layout, problems, selected, select, put, save, isChanged },
    name: draft.name,
    isSaving: saving.isPending,
    chosen: stepOf(graph, selected),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: () => step(undone),
    redo: () => step(redone),
    rename: (name: string) => change({ name }),
    add(type: StepType, outlet: Outlet | null) {
      const { graph: next, key } = addStep(graph, type, outlet)
      put(next)
      select(key, 'form')
    },
    remove(key: string) {
      const before = graph.connections.find(({ to }) => to === key)?.from ?? null
      put(removeStep(graph, key))
      select(before, 'card')
    },
  }
}

/** What the trigger's event had the last time counts beside its schema. */
function withSeenFields(resources: Resources, graph: Graph, seen: Readonly<Record<string, FieldType>>): Resources {
  const trigger = graph.steps.find(({ type }) => type === 'trigger')
  const event = trigger?.type === 'trigger' ? trigger.config.event_name : undefined
  return {
    ...resources,
    schemaOf: (name) => (name === event ? { ...seen, ...resources.schemaOf(name) } : resources.schemaOf(name)),
  }
}

export type Editing = ReturnType<typeof useEditing>

/** Where a step goes that is added to the whole: behind the chosen one, or behind the last that leads nowhere. */
export function nextOutlet(graph: Graph, { order }: Layout, selected: string | null): Outlet | null {
  const outlets = (key: string) => {
    const step = stepOf(graph, key)
    return step ? outletsOf(step) : []
  }
  const isFree = (outlet: Outlet) => targetOf(graph, outlet) === undefined
  const chosen = selected === null ? [] : outlets(selected)
  return chosen.find(isFree) ?? chosen[0] ?? order.toReversed().flatMap(outlets).find(isFree) ?? null
}

const withRefusal = (problems: Problems, refusal: { key: string; text: string } | null): Problems =>
  refusal ? new Map([...problems, [refusal.key, { text: refusal.text, isFatal: true }]]) : problems

/** A layout stays as it is for as long as the same steps are connected in the same way. */
function useLayout(graph: Graph): Layout {
  const shape = JSON.stringify([graph.steps.map((step) => [step.key, outletsOf(step).length]), graph.connections])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all that a layout depends on
  return useMemo(() => layOut(graph), [shape])
}

/** Moves the keyboard to a card or into the form once what was chosen is on the page. */
function useFocus(selected: string | null) {
  const wanted = useRef<{ key: string | null; focus: Focus } | null>(null)
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each request is another round
  useEffect(() => {
    if (!wanted.current) return
    const { key, focus } = wanted.current
    wanted.current = null
    const target =
      focus === 'form'
        ? document.querySelector<HTMLElement>('.step-panel :is(input, select, textarea)')
        : document.querySelector<HTMLElement>(`[data-step="${CSS.escape(key ?? '')}"]`)
    target?.focus({ preventScroll: focus === 'card' })
  }, [selected, round])
  return (key: string | null, focus: Focus) => {
    wanted.current = { key, focus }
    setRound(round + 1)
  }
}
