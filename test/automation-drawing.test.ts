import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addStep,
  canLeadTo,
  connect,
  drawn,
  firstGraph,
  type Graph,
  outletsOf,
  reachedFrom,
  removeStep,
  type StepType,
  targetOf,
} from '../dashboard/src/features/automations/graph.ts'
import { CARD, layOut } from '../dashboard/src/features/automations/layout.ts'
import { problemsOf, stepNamedIn } from '../dashboard/src/features/automations/problems.ts'
import { ruleInWords, sentenceOf } from '../dashboard/src/features/automations/sentences.ts'
import { offersAt } from '../dashboard/src/features/automations/variables.ts'

// What the canvas of the dashboard does to a graph, without a canvas.

const KINDS: readonly StepType[] = [
  'send_email',
  'delay',
  'wait_for_event',
  'condition',
  'contact_delete',
  'add_to_segment',
]

/** Somebody who adds, connects and deletes at random. */
const drawings = fc
  .array(fc.tuple(fc.constantFrom('add', 'connect', 'remove'), fc.nat(), fc.nat(), fc.constantFrom(...KINDS)), {
    maxLength: 40,
  })
  .map((acts) =>
    acts.reduce((graph: Graph, [act, one, other, kind]) => {
      const step = graph.steps[one % graph.steps.length]!
      const outlets = outletsOf(step)
      const outlet = outlets[other % Math.max(1, outlets.length)] ?? null
      const target = graph.steps[other % graph.steps.length]!.key
      if (act === 'add') return addStep(graph, kind, outlet).graph
      if (act === 'remove') return step.type === 'trigger' ? graph : removeStep(graph, step.key)
      return outlet && canLeadTo(graph, outlet.from, target) ? connect(graph, outlet, target) : graph
    }, firstGraph('user.created')),
  )

describe('drawing', () => {
  test('whatever is done, steps lead forward, and at most once in each way', () => {
    fc.assert(
      fc.property(drawings, (graph) => {
        for (const { from, to } of graph.connections) expect(reachedFrom(graph, to).has(from)).toBe(false)
        const ways = graph.connections.map(({ from, type }) => `${from} ${type}`)
        expect(new Set(ways).size).toBe(ways.length)
        expect(new Set(graph.steps.map(({ key }) => key)).size).toBe(graph.steps.length)
      }),
    )
  })

  test('cards stand below what leads to them, beside each other, and no line runs through one', () => {
    fc.assert(
      fc.property(drawings, (graph) => {
        const { cards, lines, order } = layOut(graph)
        const boxes = [...cards.values()]
        expect(order.toSorted()).toEqual(graph.steps.map(({ key }) => key).sort())
        for (const { from, to } of graph.connections) expect(cards.get(from)!.y).toBeLessThan(cards.get(to)!.y)
        for (const [index, one] of boxes.entries())
          for (const other of boxes.slice(index + 1))
            if (one.y === other.y) expect(Math.abs(one.x - other.x)).toBeGreaterThan(CARD.width)
        for (const { x, y } of [...lines.values()].flat())
          for (const box of boxes) if (box.y === y) expect(x < box.x || x > box.x + CARD.width).toBe(true)
      }),
    )
  })

  test('two ways to the same step leave it where one way does', () => {
    const decide = addStep(firstGraph('a'), 'condition', { from: 'trigger', type: 'default' })
    const one = addStep(decide.graph, 'delay', { from: decide.key, type: 'condition_met' })
    const both = connect(one.graph, { from: decide.key, type: 'condition_not_met' }, one.key)

    expect(layOut(both).cards).toEqual(layOut(one.graph).cards)
  })

  test('a circle, which a program may have sent once, is drawn all the same', () => {
    const graph = drawn({
      steps: ['a', 'b'].map((key) => ({ key, type: 'delay', config: { duration: '1 day' } })),
      connections: [
        { from: 'a', to: 'b', type: 'default' },
        { from: 'b', to: 'a', type: 'default' },
      ],
    })

    expect(layOut(graph).order).toHaveLength(2)
  })

  test('a step in between goes on to what was there, and is taken out again without a trace', () => {
    const trigger = { from: 'trigger', type: 'default' } as const
    const first = addStep(firstGraph('user.created'), 'delay', trigger)
    const second = addStep(first.graph, 'send_email', trigger)

    expect(targetOf(second.graph, trigger)).toBe(second.key)
    expect(targetOf(second.graph, { from: second.key, type: 'default' })).toBe(first.key)
    expect(removeStep(second.graph, second.key)).toEqual(first.graph)
  })
})

describe('words', () => {
  const names = { template: () => 'Welcome', segment: () => undefined }

  test('a step is said as people say it', () => {
    const said = [
      { type: 'trigger', config: { event_name: 'resend:email.opened' } },
      { type: 'delay', config: { duration: '3 days' } },
      { type: 'send_email', config: { template: { id: 't1' } } },
      { type: 'wait_for_event', config: { event_name: 'order.paid', timeout: '1 week' } },
      { type: 'contact_update', config: { first_name: null, properties: { plan: 'pro' } } },
      { type: 'add_to_segment', config: { segment_id: 's1' } },
    ].map((step) => sentenceOf({ key: 'k', ...step } as never, names))

    expect(said).toEqual([
      'When an email is opened',
      'Wait 3 days',
      'Send ‘Welcome’',
      'Wait until order.paid happens, at most 1 week',
      'Set first name, plan',
      'Add to ‘s1’',
    ])
  })

  test('rules in rules have brackets', () => {
    const is = (field: string, value: string) => ({ type: 'rule', field, operator: 'eq', value }) as const

    expect(
      ruleInWords({
        type: 'and',
        rules: [is('contact.plan', 'pro'), { type: 'or', rules: [is('event.a', 'x'), is('event.b', 'y')] }],
      }),
    ).toBe('contact.plan is pro and (event.a is x or event.b is y)')
  })
})

describe('what is missing', () => {
  test('an empty field, a step that nothing leads to, and a timeout that leads nowhere are told at their steps', () => {
    const wait = addStep(firstGraph('a'), 'wait_for_event', { from: 'trigger', type: 'default' })
    const { graph } = addStep(wait.graph, 'delay', null)
    const filled: Graph = {
      ...graph,
      steps: graph.steps.map((step) =>
        step.type === 'wait_for_event' ? { ...step, config: { ...step.config, event_name: 'b' } } : step,
      ),
    }

    expect(problemsOf(graph).get(wait.key)).toEqual({ text: 'Select an event.', isFatal: true })
    expect(problemsOf(filled).get(wait.key)?.isFatal).toBe(false)
    expect(problemsOf(filled).get('delay_1')?.text).toContain('Not connected')
  })

  test('a refusal names the step whose key it holds, and not one whose key begins alike', () => {
    const { graph } = [...Array(12)].reduce(({ graph: before }) => addStep(before, 'delay', null), {
      graph: firstGraph('a'),
      key: '',
    })

    expect(stepNamedIn(graph, 'Invalid `duration` field of the step `delay_12`.')).toBe('delay_12')
    expect(stepNamedIn(graph, 'The database is on fire.')).toBe(null)
  })
})

test('events that were waited for are offered behind the wait only', () => {
  const wait = addStep(firstGraph('user.created'), 'wait_for_event', { from: 'trigger', type: 'default' })
  const mail = addStep(wait.graph, 'send_email', { from: wait.key, type: 'event_received' })
  const graph: Graph = {
    ...mail.graph,
    steps: mail.graph.steps.map((step) =>
      step.type === 'wait_for_event' ? { ...step, config: { event_name: 'order.paid' } } : step,
    ),
  }
  const sources = {
    schemaOf: (event: string) => (event === 'order.paid' ? { total: 'number' as const } : { plan: 'string' as const }),
    properties: [{ name: 'contact.properties.city' }],
  }
  const offered = (key: string) => offersAt(graph, key, sources).map(({ name }) => name)

  expect(offered(mail.key)).toEqual(
    expect.arrayContaining(['event.plan', 'contact.email', 'contact.properties.city', 'wait_events.order.paid.total']),
  )
  expect(offered('trigger')).not.toContain('wait_events.order.paid.total')
})
