import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Graph, Operator, Rule, Scalar } from '../src/features/automations/engine/graph.ts'
import { evaluate, MissingField, WrongType } from '../src/features/automations/engine/rules.ts'
import { type Json, lookUp } from '../src/features/automations/engine/values.ts'
import { checkGraph } from '../src/features/automations/graph-check.ts'
import { simulate } from './harness/automation-model.ts'
import type { Happening, ModelContact, ModelOptions } from './harness/automation-model-types.ts'
import { randomGraph, randomHappenings } from './harness/random-graphs.ts'

const SURROUNDINGS = { template: 'welcome', segment: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f', property: 'plan' }
const ADA: ModelContact = { first_name: 'Ada', last_name: null, unsubscribed: false, properties: {} }
const OPTIONS: ModelOptions = { email: 'ada@example.com', contact: ADA }
const DAY = 86_400

/** trigger → email → wait for `opened` for 3 days → (opened: is plan pro? yes: segment) → second email */
const WELCOME: Graph = {
  steps: [
    { key: 'start', type: 'trigger', config: { event_name: 'user.created' } },
    { key: 'hello', type: 'send_email', config: { template: { id: 'hello' } } },
    { key: 'opened', type: 'wait_for_event', config: { event_name: 'opened', timeout: '3 days' } },
    { key: 'is_pro', type: 'condition', config: { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' } },
    { key: 'again', type: 'send_email', config: { template: { id: 'again' } } },
    { key: 'join', type: 'add_to_segment', config: { segment_id: SURROUNDINGS.segment } },
  ],
  connections: [
    { from: 'start', to: 'hello', type: 'default' },
    { from: 'hello', to: 'opened', type: 'default' },
    { from: 'opened', to: 'is_pro', type: 'event_received' },
    { from: 'opened', to: 'again', type: 'timeout' },
    { from: 'is_pro', to: 'join', type: 'condition_met' },
    { from: 'is_pro', to: 'again', type: 'condition_not_met' },
  ],
}

const event = (name: string, payload = {}): Happening => ({ type: 'event', name, payload })
const pass = (seconds: number): Happening => ({ type: 'pass', seconds })
const unsubscribe: Happening = { type: 'change_contact', changes: { unsubscribed: true } }

function play(happenings: readonly Happening[], options: Partial<ModelOptions> = {}, graph = WELCOME) {
  const { runs, emails } = simulate(graph, happenings, { ...OPTIONS, ...options })
  const statuses = runs.map(({ steps }) => Object.values(steps).map(({ status }) => status))
  return {
    runs: runs.map(({ status }) => status),
    steps: statuses,
    emails: emails.map(([, key]) => key),
    details: runs,
  }
}

describe('the model of a welcome series', () => {
  test('waits behind the first email', () => {
    expect(play([event('user.created'), event('nobody'), pass(3 * DAY - 1)])).toMatchObject({
      runs: ['running'],
      steps: [['completed', 'completed', 'waiting', 'pending', 'pending', 'pending']],
      emails: ['hello'],
    })
  })

  test('goes on with the event, and the branch not taken is skipped', () => {
    const played = play([
      event('user.created', { plan: 'pro' }),
      pass(DAY),
      event('opened', { link: 1 }),
      event('opened'),
    ])

    expect(played).toMatchObject({
      runs: ['completed'],
      steps: [['completed', 'completed', 'completed', 'completed', 'skipped', 'completed']],
      emails: ['hello'],
    })
    expect(played.details[0]!.steps.opened!.output).toEqual({
      event_name: 'opened',
      outcome: 'event_received',
      payload: { link: 1 },
    })
    expect(played.details[0]!.steps.is_pro!.output).toEqual({ result: true })
    expect(played.details[0]!.trail).toEqual(['start', 'hello', 'opened', 'is_pro', 'join'])
  })

  test('goes on when time is up, and not with an event that comes then', () => {
    const played = play([event('opened'), event('user.created', { plan: 'pro' }), pass(3 * DAY), event('opened')])

    expect(played).toMatchObject({ runs: ['completed'], emails: ['hello', 'again'] })
    expect(played.details[0]!.steps.opened!.output).toEqual({ event_name: 'opened', outcome: 'timeout' })
  })

  test('fails where a rule asks for what is not there', () => {
    expect(play([event('user.created'), event('opened')])).toMatchObject({
      runs: ['failed'],
      steps: [['completed', 'completed', 'completed', 'failed', 'skipped', 'skipped']],
    })
  })

  test('sends nothing to who has unsubscribed, and goes on', () => {
    expect(play([event('user.created', { plan: 'free' }), unsubscribe, event('opened')])).toMatchObject({
      runs: ['completed'],
      steps: [['completed', 'completed', 'completed', 'completed', 'skipped', 'skipped']],
      emails: ['hello'],
    })
  })

  test('fails for a contact that is gone; who comes later under its address is another one', () => {
    const happenings = [
      event('user.created'),
      { type: 'delete_contact' } as const,
      event('opened'),
      event('user.created'),
    ]

    expect(play([...happenings, pass(3 * DAY)])).toMatchObject({
      runs: ['failed', 'completed'],
      emails: ['hello', 'hello', 'again'],
    })
    expect(play(happenings).runs).toEqual(['running', 'running'])
  })

  test('is started once for a contact when that is asked for', () => {
    const twice = [event('user.created'), event('user.created'), pass(3 * DAY), event('user.created')]

    expect(play(twice).runs).toHaveLength(3)
    expect(play(twice, { oncePerContact: 'while_running' }).runs).toHaveLength(2)
    expect(play(twice, { oncePerContact: 'ever' }).runs).toHaveLength(1)
  })

  test('is stopped with its runs, and disabled without them', () => {
    const playedOn = (type: 'stop' | 'disable') =>
      play([event('user.created'), { type }, event('user.created'), pass(3 * DAY)])

    expect(playedOn('stop')).toMatchObject({ runs: ['cancelled'], emails: ['hello'] })
    expect(playedOn('disable')).toMatchObject({ runs: ['completed'], emails: ['hello', 'again'] })
  })

  test('fails with a template that cannot be sent', () => {
    expect(play([event('user.created')], { failingSteps: ['hello'] })).toMatchObject({ runs: ['failed'], emails: [] })
  })
})

test('delays that end in one jump are counted from when they were due, and not from when somebody looked', () => {
  const graph: Graph = {
    steps: [
      WELCOME.steps[0]!,
      { key: 'one', type: 'delay', config: { duration: '1 day' } },
      { key: 'two', type: 'delay', config: { duration: '1 week 5 days' } },
    ],
    connections: [
      { from: 'start', to: 'one', type: 'default' },
      { from: 'one', to: 'two', type: 'default' },
    ],
  }
  const look = { type: 'look' } as const
  const jump = [event('user.created'), look, pass(13 * DAY), look]

  expect(play(jump, {}, graph).runs).toEqual(['completed'])
  expect(play(jump, { looks: 'when_told' }, graph).runs).toEqual(['completed'])
})

const plays = fc.record({
  graph: randomGraph(SURROUNDINGS),
  happenings: randomHappenings(SURROUNDINGS.property),
  contact: fc.constantFrom(ADA, null),
})

test('random graphs are valid', () => {
  fc.assert(
    fc.property(plays, ({ graph }) => {
      const { steps, connections } = checkGraph(graph.steps as never, graph.connections)
      expect(steps).toEqual(graph.steps)
      // Those that leave a wait by default are kept as what that means.
      expect(connections.map(({ from, to }) => [from, to])).toEqual(graph.connections.map(({ from, to }) => [from, to]))
    }),
  )
})

test('a run of the model goes along connections, and sends once for each step', () => {
  const seen = { emails: 0, merges: 0, failed: 0, woken: 0, timeouts: 0 }
  const property = fc.property(plays, ({ graph, happenings, contact }) => {
    const { runs } = simulate(graph, happenings, { ...OPTIONS, contact })
    for (const { status, steps, trail, emails } of runs) {
      const standing = Object.entries(steps).filter(([, step]) => step.status === 'waiting')
      expect(standing).toHaveLength(status === 'running' ? 1 : 0)
      const way = [...trail, ...standing.map(([key]) => key)]
      for (const [index, to] of way.slice(1).entries())
        expect(graph.connections.some((one) => one.from === way[index] && one.to === to)).toBe(true)
      expect(new Set(emails).size).toBe(emails.length)
      expect(Object.values(steps).filter((step) => step.status === 'failed')).toHaveLength(status === 'failed' ? 1 : 0)
      const outcomes = Object.values(steps).map(({ output }) => output?.outcome)
      seen.emails += emails.length
      seen.failed += Number(status === 'failed')
      seen.woken += Number(outcomes.includes('event_received'))
      seen.timeouts += Number(outcomes.includes('timeout'))
    }
    seen.merges += Number(new Set(graph.connections.map(({ to }) => to)).size < graph.connections.length)
  })
  fc.assert(property, { numRuns: 500 })

  // The graphs and happenings are such that everything happens.
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(5)
})

test('the rules of the model and those of the engine agree, or both fail', () => {
  const field = fc.constantFrom('event.a', 'event.b.c', 'event.gone', 'contact.first_name', 'contact.plan')
  const numeric = fc.constantFrom<Operator>('gt', 'gte', 'lt', 'lte')
  const textual = fc.constantFrom<Operator>('contains', 'starts_with', 'ends_with')
  const text = fc.constantFrom('', 'p', 'pro', 'propro')
  const number = fc.constantFrom(-1, 0, 1.5)
  const rule = (operator: fc.Arbitrary<Operator>, value: fc.Arbitrary<Scalar | null>) =>
    fc.record({ type: fc.constant('rule' as const), field, operator, value })
  const leaf: fc.Arbitrary<Rule> = fc.oneof(
    rule(fc.constantFrom<Operator>('eq', 'neq'), fc.oneof(text, number, fc.boolean(), fc.constant(null))),
    rule(numeric, number),
    rule(textual, text),
    fc.record({ type: fc.constant('rule' as const), field, operator: fc.constantFrom<Operator>('exists', 'is_empty') }),
  )
  const group = fc.record({
    type: fc.constantFrom('and' as const, 'or' as const),
    rules: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  })
  const value = fc.oneof(text, number, fc.boolean(), fc.constantFrom(null, [], ['pro'], {}))
  const payload = fc.record({ a: value, b: fc.oneof(value, fc.record({ c: value })) }, { requiredKeys: [] })

  const engine = (one: Rule, event: object): boolean | null => {
    const contact = { ...ADA, id: '1', email: OPTIONS.email, created_at: '', properties: { plan: 'pro' } }
    try {
      return evaluate(one, (name) => lookUp({ event: event as Json, contact, waitEvents: {} }, name))
    } catch (error) {
      if (error instanceof MissingField || error instanceof WrongType) return null
      throw error
    }
  }
  const model = (one: Rule, event: Readonly<Record<string, unknown>>): unknown => {
    const graph: Graph = {
      steps: [WELCOME.steps[0]!, { key: 'is', type: 'condition', config: one }],
      connections: [{ from: 'start', to: 'is', type: 'default' }],
    }
    const contact = { ...ADA, properties: { plan: 'pro' } }
    const happening: Happening = { type: 'event', name: 'user.created', payload: event }
    return simulate(graph, [happening], { ...OPTIONS, contact }).runs[0]!.steps.is!.output?.result ?? null
  }
  fc.assert(
    fc.property(fc.oneof(leaf, group), payload, (one, event) => {
      expect(model(one, event)).toBe(engine(one, event))
    }),
    { numRuns: 1_000 },
  )
})
