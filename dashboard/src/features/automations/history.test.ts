import { expect, test } from 'vitest'
import { addStep, configure, firstGraph, type Graph, removeStep } from './graph.ts'
import { type History, MAX_UNDO, NO_HISTORY, recorded, redone, undone } from './history.ts'

/** Applies changes one after the other. */
function edit(changes: readonly ((graph: Graph) => Graph)[], start = firstGraph('user.created')) {
  let [graph, history]: [Graph, History] = [start, NO_HISTORY]
  for (const change of changes) {
    const next = change(graph)
    history = recorded(history, graph, next)
    graph = next
  }
  return { graph, history }
}

const add = (graph: Graph) => addStep(graph, 'delay', { from: 'trigger', type: 'default' }).graph
const wait = (duration: string) => (graph: Graph) =>
  configure(graph, { key: 'delay_1', type: 'delay', config: { duration } })

test('changes are undone and redone one by one, in order', () => {
  const first = firstGraph('user.created')
  const { graph, history } = edit([add, (before) => removeStep(before, 'delay_1')], first)

  const once = undone(history, graph)!
  expect(once.graph.steps.map(({ key }) => key)).toEqual(['trigger', 'delay_1'])
  const twice = undone(once.history, once.graph)!
  expect(twice.graph).toBe(first)
  expect(undone(twice.history, twice.graph)).toBeUndefined()
  const again = redone(twice.history, twice.graph)!
  expect(again.graph).toBe(once.graph)
  expect(redone(redone(again.history, again.graph)!.history, graph)).toBeUndefined()
})

test('typing into the settings of a step is one change', () => {
  const { graph, history } = edit([add, wait('2'), wait('2 d'), wait('2 days')])

  expect(undone(history, graph)!.graph.steps[1]!.config).toEqual({ duration: '1 day' })
  expect(history.past).toHaveLength(2)
})

test('a change after an undo leaves nothing to redo, and only so much is kept', () => {
  const { graph, history } = edit([add])
  const back = undone(history, graph)!
  expect(recorded(back.history, back.graph, add(back.graph)).future).toEqual([])

  const many = edit(Array.from({ length: MAX_UNDO + 5 }, () => add))
  expect(many.history.past).toHaveLength(MAX_UNDO)
})
