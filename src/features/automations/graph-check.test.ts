import { describe, expect, test } from 'vitest'
import { Problem } from '../../kernel/http/problem.ts'
import { graphOrder } from './engine/graph.ts'
import { checkGraph } from './graph-check.ts'
import { type ConnectionShape, MOST_STEPS, type StepShape } from './schema.ts'

type Config = Record<string, unknown>
const step = (key: string, type: StepShape['type'], config: Config = {}): StepShape => ({ key, type, config })
const to = (from: string, target: string, type: ConnectionShape['type'] = 'default') => ({ from, to: target, type })

const START = step('start', 'trigger', { event_name: 'user.created' })
const ID = '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f'
const RULE = { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' }
const welcome = (config: Config = {}) => step('welcome', 'send_email', { template: { id: 'welcome' }, ...config })
const pause = (key: string) => step(key, 'delay', { duration: '1 day' })

function refusal(steps: readonly StepShape[], connections: readonly ConnectionShape[]): string {
  try {
    checkGraph(steps, connections)
  } catch (error) {
    if (error instanceof Problem && error.status === 422) return error.message
    throw error
  }
  throw new Error('The graph was accepted.')
}

const TOTAL = { var: 'wait_events.order.paid.total' }
const awaiting = step('a', 'condition', {
  type: 'and',
  rules: [RULE, { type: 'rule', field: TOTAL.var, operator: 'exists' }],
})
const paid = (key: string) => step(key, 'wait_for_event', { event_name: 'order.paid', timeout: '1 day' })

describe('a graph', () => {
  test('can speak of an event that a step before it may have waited for, further back or on one of two ways', () => {
    const mail = welcome({ template: { id: 'welcome', variables: { total: TOTAL } } })
    const steps = [START, paid('b'), pause('c'), awaiting, mail]
    const connections = [
      ...[to('start', 'b'), to('b', 'c', 'event_received'), to('b', 'a', 'timeout'), to('c', 'a')],
      to('a', 'welcome', 'condition_met'),
    ]

    expect(checkGraph(steps, connections).steps).toHaveLength(5)
  })

  test('is kept with normalised durations and known fields', () => {
    const graph = checkGraph(
      [
        { ...step('start', 'trigger', { event_name: 'user.created', eventName: 'x' }), note: 'x' } as StepShape,
        welcome({
          subject: null,
          from: '',
          reply_to: 'Ada <ada@example.com>',
          template: { id: 'welcome', variables: [], x: 1 },
        }),
        step('opened', 'wait_for_event', { event_name: 'resend:email.opened', timeout: '12 days', filter_rule: null }),
        step('check', 'condition', { ...RULE, note: 'x' }),
        step('second', 'send_email', { template: { id: ID, variables: { plan: { var: 'event.plan' } } } }),
        step('join', 'add_to_segment', { segment_id: ID }),
      ],
      [
        to('start', 'welcome'),
        to('welcome', 'opened'),
        to('opened', 'check', 'event_received'),
        to('opened', 'second', 'timeout'),
        to('check', 'second', 'condition_not_met'),
        to('check', 'join', 'condition_met'),
        { ...to('second', 'join'), note: 'x' } as ConnectionShape,
      ],
    )

    expect(graph.steps.map(({ config }) => config)).toEqual([
      { event_name: 'user.created' },
      { template: { id: 'welcome' }, reply_to: 'Ada <ada@example.com>' },
      { event_name: 'resend:email.opened', timeout: '1 week 5 days' },
      RULE,
      { template: { id: ID, variables: { plan: { var: 'event.plan' } } } },
      { segment_id: ID },
    ])
    expect(Object.keys(graph.steps[0]!)).toEqual(['key', 'type', 'config'])
    expect(graph.connections.at(-1)).toEqual(to('second', 'join'))
  })

  test('can be a trigger alone', () => {
    expect(checkGraph([START], [])).toEqual({ steps: [START], connections: [] })
  })

  test('can have branches that end, merge, and leave a wait by default', () => {
    const wait = step('wait', 'wait_for_event', { event_name: 'paid', timeout: '1h' })

    const graph = checkGraph(
      [START, wait, pause('a')],
      [to('start', 'wait'), to('wait', 'a'), to('wait', 'a', 'timeout')],
    )
    expect(graph.connections.map(({ type }) => type)).toEqual(['default', 'event_received', 'timeout'])
    checkGraph([START, step('end', 'contact_delete', { x: 1 })], [to('start', 'end')])
  })

  const ways = [to('start', 'a'), to('a', 'b')]
  const wait = step('a', 'wait_for_event', { event_name: 'paid' })
  const condition = step('a', 'condition', RULE)
  test.each<[string, readonly StepShape[], readonly ConnectionShape[], string]>([
    ['no trigger', [pause('a')], [], 'Invalid `steps` field. One of them must be a `trigger`.'],
    [
      'two triggers',
      [START, { ...START, key: 'again' }],
      [],
      'Invalid `steps.again.type` field. There is a `trigger` already: `start`.',
    ],
    [
      'one key twice',
      [START, pause('a'), pause('a')],
      ways,
      'Invalid `steps[2].key` field. Another step has the key `a`.',
    ],
    ['a way from nowhere', [START], [to('b', 'start')], 'Invalid `connections[0].from` field. There is no step `b`.'],
    ['a way to nowhere', [START, pause('a')], ways, 'Invalid `connections[1].to` field. There is no step `b`.'],
    [
      'a step called like the prototype',
      [START],
      [to('start', '__proto__')],
      'Invalid `connections[0].to` field. There is no step `__proto__`.',
    ],
    [
      'a way into the trigger',
      [START, pause('a')],
      [to('start', 'a'), to('a', 'start')],
      'Invalid `connections[1].to` field. Nothing can lead to the trigger `start`.',
    ],
    [
      'a wrong type behind a delay',
      [START, pause('a'), pause('b')],
      [to('start', 'a'), to('a', 'b', 'timeout')],
      'Invalid `connections[1].type` field. It must be `default`, since it leaves the delay step `a`.',
    ],
    [
      'a wrong type behind a condition',
      [START, condition, pause('b')],
      ways,
      'Invalid `connections[1].type` field. It must be `condition_met` or `condition_not_met`, since it leaves the condition step `a`.',
    ],
    [
      'something behind contact_delete',
      [START, step('a', 'contact_delete'), pause('b')],
      ways,
      'Invalid `connections[1].from` field. Nothing can come after the contact_delete step `a`.',
    ],
    [
      'two ways of one type',
      [START, pause('a'), pause('b')],
      [to('start', 'a'), to('start', 'b')],
      'Invalid `connections[1].type` field. Another connection like it leaves the step `start`.',
    ],
    [
      'two ways that mean the same',
      [START, wait, pause('b'), pause('c')],
      [...ways, to('a', 'c', 'event_received')],
      'Invalid `connections[2].type` field. Another connection like it leaves the step `a`.',
    ],
    [
      'a timeout that never comes',
      [START, wait, pause('b')],
      [to('start', 'a'), to('a', 'b', 'timeout')],
      'Missing `steps.a.config.timeout` field. A `timeout` connection leaves the step.',
    ],
    [
      'a step out of reach',
      [START, pause('a'), pause('b')],
      [to('start', 'a')],
      'Invalid `steps.b` field. No way leads to it from the trigger.',
    ],
    [
      'a circle out of reach',
      [START, pause('a'), pause('b')],
      [to('a', 'b'), to('b', 'a')],
      'Invalid `steps.a` field. No way leads to it from the trigger.',
    ],
    [
      'a circle',
      [START, pause('z'), condition, pause('b'), pause('c')],
      [
        ...[to('start', 'a'), to('a', 'b', 'condition_met'), to('b', 'c'), to('c', 'a')],
        to('a', 'z', 'condition_not_met'),
      ],
      'Invalid `connections` field. They lead from the step `a` back to it, and a run would never end.',
    ],
    [
      'a step that leads to itself',
      [START, pause('a')],
      [to('start', 'a'), to('a', 'a')],
      'Invalid `connections` field. They lead from the step `a` back to it, and a run would never end.',
    ],
    [
      'a rule about an event that nobody waits for',
      [START, awaiting],
      [to('start', 'a')],
      'Invalid `steps.a.config.rules[1].field` field. No step before it has waited for the event of `wait_events.order.paid.total`.',
    ],
    [
      'a rule about an event that a step behind it waits for',
      [START, awaiting, paid('b')],
      [to('start', 'a'), to('a', 'b', 'condition_met')],
      'Invalid `steps.a.config.rules[1].field` field. No step before it has waited for the event of `wait_events.order.paid.total`.',
    ],
    [
      'a rule about an event that did not come in time',
      [START, paid('b'), awaiting],
      [to('start', 'b'), to('b', 'a', 'timeout')],
      'Invalid `steps.a.config.rules[1].field` field. No step before it has waited for the event of `wait_events.order.paid.total`.',
    ],
    [
      'a variable of an event that nobody waits for',
      [START, welcome({ template: { id: 'welcome', variables: { items: [{ total: TOTAL }] } } })],
      [to('start', 'welcome')],
      'Invalid `steps.welcome.config.template.variables.items[0].total.var` field. No step before it has waited for the event of `wait_events.order.paid.total`.',
    ],
  ])('is refused: %s', (_what, steps, connections, message) => {
    expect(refusal(steps, connections)).toBe(message)
  })

  test('of the largest size is checked', () => {
    const keys = Array.from({ length: MOST_STEPS - 1 }, (_, index) => `step ${index}`)
    const steps = [...keys.map((key) => step(key, 'condition', RULE)).reverse(), START]
    const connections = keys.flatMap((key, index) => {
      const next = keys[index + 1]
      return next ? [to(key, next, 'condition_met'), to(key, next, 'condition_not_met')] : []
    })
    const all = [to('start', keys[0]!), ...connections]

    expect(graphOrder(checkGraph(steps, all))).toEqual(['start', ...keys])
    expect(refusal(steps, [...all, to(keys.at(-1)!, keys[0]!, 'condition_met')])).toMatch(/^Invalid `connections`/)
  })

  test('in order keeps the order given where it can', () => {
    const steps = [pause('c'), pause('b'), START, step('a', 'condition', RULE)]
    const connections = [
      to('start', 'a'),
      to('a', 'b', 'condition_met'),
      to('a', 'c', 'condition_not_met'),
      to('b', 'c'),
    ]

    expect(graphOrder(checkGraph(steps, connections))).toEqual(['start', 'a', 'b', 'c'])
    expect(graphOrder(checkGraph(steps, connections.slice(0, 3)))).toEqual(['start', 'a', 'c', 'b'])
  })
})
