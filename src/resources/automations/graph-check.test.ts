import { describe, expect, test } from 'vitest'
import { graphOrder } from '../../automations/graph.ts'
import { Problem } from '../../http/problem.ts'
import { checkGraph } from './graph-check.ts'
import { type ConnectionShape, MOST_STEPS, type StepShape, SYSTEM_EVENTS } from './schema.ts'

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

/** Of a graph that has this one step behind the trigger. */
const refusalOf = (one: StepShape) => refusal([START, one], [to('start', one.key)])
const accepted = (one: StepShape) => checkGraph([START, one], [to('start', one.key)]).steps[1]!.config

describe('a graph', () => {
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

    checkGraph([START, wait, pause('a')], [to('start', 'wait'), to('wait', 'a'), to('wait', 'a', 'timeout')])
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

const DURATION = 'It must be a duration like `30 minutes` or `3 days`, from 1 second to 30 days.'
const SYSTEM = `Of the names that begin with \`resend:\` it can be one of ${SYSTEM_EVENTS.map((event) => `\`${event}\``).join(', ')}.`
const VALUE =
  'It must be a string of at most 10000 characters, a number, `true` or `false`, a variable like `{"var": "event.plan"}`, a flat object, or a list of at most 1000 of these.'
const ROOTS = 'It must begin with `event.`, `contact.`, `properties.` or `wait_events.`.'

describe('a config', () => {
  const variables = (given: Config) => welcome({ template: { id: 'welcome', variables: given } })
  const update = (config: Config) => step('change', 'contact_update', config)
  const wait = (config: Config) => step('wait', 'wait_for_event', config)
  test.each<[StepShape, string]>([
    [pause(''), 'accepted'],
    [step('x', 'delay', {}), 'Missing `steps.x.config.duration` field.'],
    [step('x', 'delay', { duration: null }), 'Missing `steps.x.config.duration` field.'],
    [step('x', 'delay', { duration: 5 }), `Invalid \`steps.x.config.duration\` field. ${DURATION}`],
    [step('x', 'delay', { duration: '0 s' }), `Invalid \`steps.x.config.duration\` field. ${DURATION}`],
    [step('x', 'delay', { duration: '31 days' }), `Invalid \`steps.x.config.duration\` field. ${DURATION}`],
    [step('x', 'delay', { duration: '30 days 1 second' }), `Invalid \`steps.x.config.duration\` field. ${DURATION}`],
    [step('x', 'delay', { duration: 'soon' }), `Invalid \`steps.x.config.duration\` field. ${DURATION}`],
    [wait({}), 'Missing `steps.wait.config.event_name` field.'],
    [
      wait({ event_name: 'x'.repeat(256) }),
      'Invalid `steps.wait.config.event_name` field. It must be a string of 1 to 255 characters.',
    ],
    [wait({ event_name: 'resend:email.sent' }), `Invalid \`steps.wait.config.event_name\` field. ${SYSTEM}`],
    [wait({ event_name: 'x', timeout: '1 month' }), `Invalid \`steps.wait.config.timeout\` field. ${DURATION}`],
    [
      wait({ event_name: 'x', filter_rule: { ...RULE, field: 'contact.plan' } }),
      'Invalid `steps.wait.config.filter_rule.field` field. It must begin with `event.`.',
    ],
    [
      wait({ event_name: 'x', filter_rule: { ...RULE, value: { var: 'event.x' } } }),
      'Invalid `steps.wait.config.filter_rule.value` field. It must be a string of at most 10000 characters or a number or `true` or `false` or `null`.',
    ],
    [wait({ event_name: 'x', filter_rule: 5 }), 'Invalid `steps.wait.config.filter_rule` field. It must be an object.'],
    [step('x', 'send_email', {}), 'Missing `steps.x.config.template` field.'],
    [step('x', 'send_email', { template: {} }), 'Missing `steps.x.config.template.id` field.'],
    [step('x', 'send_email', { template: 'x' }), 'Invalid `steps.x.config.template` field. It must be an object.'],
    [
      welcome({ subject: 'x'.repeat(2_001) }),
      'Invalid `steps.welcome.config.subject` field. It must be a string of at most 2000 characters.',
    ],
    [
      welcome({ from: 'Ada' }),
      'Invalid `steps.welcome.config.from` field. The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.',
    ],
    [
      welcome({ reply_to: 'a@example.com, b@example.com' }),
      'Invalid `steps.welcome.config.reply_to` field. The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.',
    ],
    [welcome({ reply_to: ['a@example.com'] }), 'Invalid `steps.welcome.config.reply_to` field. It must be a string.'],
    [
      variables(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, 1]))),
      'Invalid `steps.welcome.config.template.variables` field. It must be an object of at most 50 values.',
    ],
    [
      variables({ 'a\nb': { c: { d: {} } } }),
      'Invalid `steps.welcome.config.template.variables` field. It must be an object of at most 50 values.',
    ],
    [variables({ a: null }), `Invalid \`steps.welcome.config.template.variables.a\` field. ${VALUE}`],
    [variables({ a: { b: { c: 1 } } }), `Invalid \`steps.welcome.config.template.variables.a\` field. ${VALUE}`],
    [variables({ a: { 'b\n': {} } }), `Invalid \`steps.welcome.config.template.variables.a\` field. ${VALUE}`],
    [variables({ a: [[1]] }), `Invalid \`steps.welcome.config.template.variables.a\` field. ${VALUE}`],
    [variables({ a: [{ b: [] }] }), `Invalid \`steps.welcome.config.template.variables.a\` field. ${VALUE}`],
    [variables({ a: { var: 'plan' } }), `Invalid \`steps.welcome.config.template.variables.a.var\` field. ${ROOTS}`],
    [
      variables({ a: [{ b: { var: 'event.' } }] }),
      `Invalid \`steps.welcome.config.template.variables.a[0].b.var\` field. ${ROOTS}`,
    ],
    [step('x', 'add_to_segment', {}), 'Missing `steps.x.config.segment_id` field.'],
    [
      step('x', 'add_to_segment', { segment_id: 'vip' }),
      'Invalid `steps.x.config.segment_id` field. It must be a valid UUID.',
    ],
    [
      update({ first_name: 5 }),
      'Invalid `steps.change.config.first_name` field. It must be a string of at most 500 characters or `null` or a variable like `{"var": "event.plan"}`.',
    ],
    [
      update({ unsubscribed: 'yes' }),
      'Invalid `steps.change.config.unsubscribed` field. It must be `true` or `false` or a variable like `{"var": "event.plan"}`.',
    ],
    [
      update({ last_name: { var: 'wait_events.x.y' } }),
      'Invalid `steps.change.config.last_name.var` field. It must begin with `event.` or `contact.`.',
    ],
    [
      update({ properties: { plan: [] } }),
      'Invalid `steps.change.config.properties.plan` field. It must be a string of at most 10000 characters or a number or `true` or `false` or `null` or a variable like `{"var": "event.plan"}`.',
    ],
    [
      update({ properties: { plan: { var: 'properties.x' } } }),
      'Invalid `steps.change.config.properties.plan.var` field. It must begin with `event.` or `contact.`.',
    ],
  ])('%j', (one, message) => {
    if (message === 'accepted') expect(accepted(one)).toEqual({ duration: '1 day' })
    else expect(refusalOf(one)).toBe(message)
  })

  test('keeps values of all kinds', () => {
    const given = {
      a: 'x',
      b: 1,
      c: false,
      d: { var: 'contact.first_name' },
      e: { f: 1, g: { var: 'event.x' } },
      h: [1, { i: 'x' }],
    }
    expect(accepted(variables(given))).toEqual({ template: { id: 'welcome', variables: given } })

    const change = {
      first_name: null,
      last_name: { var: 'event.name' },
      unsubscribed: true,
      properties: { a: null, b: 1, c: true },
    }
    expect(accepted(update({ ...change, email: 'x' }))).toEqual(change)
    expect(accepted(update({ unsubscribed: null, properties: null }))).toEqual({})
  })
})

describe('a rule', () => {
  const check = (rule: unknown) => step('check', 'condition', rule as Config)
  const group = (...rules: unknown[]) => ({ type: 'and', rules })
  /** As many levels as asked for. */
  const deep = (levels: number) => {
    let rule: unknown = RULE
    for (let level = 1; level < levels; level++) rule = { type: 'or', rules: [rule] }
    return rule
  }

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'Missing `steps.check.config.type` field.'],
    [
      'another type',
      { type: 'not' },
      'Invalid `steps.check.config.type` field. It must be one of `rule`, `and`, `or`.',
    ],
    ['no field', { type: 'rule' }, 'Missing `steps.check.config.field` field.'],
    ['no operator', { type: 'rule', field: 'event.x' }, 'Missing `steps.check.config.operator` field.'],
    ['no value', { ...RULE, value: undefined }, 'Missing `steps.check.config.value` field.'],
    ['a field of nothing', { ...RULE, field: 'plan' }, `Invalid \`steps.check.config.field\` field. ${ROOTS}`],
    [
      'a long field',
      { ...RULE, field: `event.${'x'.repeat(1_000)}` },
      'Invalid `steps.check.config.field` field. It must be a string of at most 1000 characters.',
    ],
    [
      'text that is compared like a number',
      { ...RULE, operator: 'gt' },
      'Invalid `steps.check.config.value` field. It must be a number.',
    ],
    [
      'a number that is searched in',
      { ...RULE, operator: 'contains', value: 5 },
      'Invalid `steps.check.config.value` field. It must be a string of at most 10000 characters.',
    ],
    ['an empty group', group(), 'Invalid `steps.check.config.rules` field. It must be a list of 1 to 100 items.'],
    ['no rules', { type: 'and' }, 'Missing `steps.check.config.rules` field.'],
    ['a rule that is none', group(RULE, 5), 'Invalid `steps.check.config.rules[1]` field. It must be an object.'],
    [
      'a mistake inside',
      group(RULE, group({ ...RULE, field: 'x' })),
      `Invalid \`steps.check.config.rules[1].rules[0].field\` field. ${ROOTS}`,
    ],
    ['11 levels', deep(11), 'Invalid `steps.check.config` field. Its rules can lie 10 levels deep.'],
    ['100,000 levels', deep(100_000), 'Invalid `steps.check.config` field. Its rules can lie 10 levels deep.'],
    [
      '101 rules',
      group(...Array(100).fill(RULE)),
      'Invalid `steps.check.config` field. It can have 100 rules, groups included.',
    ],
    [
      '100,000 rules',
      group(...Array(100_000).fill(RULE)),
      'Invalid `steps.check.config.rules` field. It must be a list of 1 to 100 items.',
    ],
  ])('is refused: %s', (_what, rule, message) => {
    expect(refusalOf(check(rule))).toBe(message)
  })

  test('is kept as it is, with known fields', () => {
    const rule = group(
      { ...RULE, value: null },
      { type: 'or', rules: [{ type: 'rule', field: 'contact.properties.seats', operator: 'gte', value: 3 }] },
      { type: 'rule', field: 'wait_events.order.paid.total', operator: 'exists' },
    )

    expect(accepted(check(rule))).toEqual(rule)
    expect(accepted(check({ type: 'rule', field: 'event.x', operator: 'is_empty', value: 1, note: 'x' }))).toEqual({
      type: 'rule',
      field: 'event.x',
      operator: 'is_empty',
    })
    expect(accepted(check(deep(10)))).toEqual(deep(10))
    expect(accepted(check(group(...Array(99).fill(RULE))))).toEqual(group(...Array(99).fill(RULE)))
  })
})
