import { describe, expect, test } from 'vitest'
import { checkGraph } from './graph-check.ts'
import { type StepShape, SYSTEM_EVENTS } from './schema.ts'

type Config = Record<string, unknown>
const step = (key: string, type: StepShape['type'], config: Config): StepShape => ({ key, type, config })

/** In a graph that has this one step behind the trigger. */
const accepted = (one: StepShape) => {
  const trigger = step('start', 'trigger', { event_name: 'user.created' })
  return checkGraph([trigger, one], [{ from: 'start', to: one.key, type: 'default' }]).steps[1]!.config
}

const RULE = { type: 'rule', field: 'event.plan', operator: 'eq', value: 'pro' }
const welcome = (config: Config = {}) => step('welcome', 'send_email', { template: { id: 'welcome' }, ...config })

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
    ...[update({}), update({ properties: {} }), update({ unsubscribed: null })].map((one): [StepShape, string] => [
      one,
      'Invalid `steps.change.config` field. It must have one of `first_name`, `last_name`, `unsubscribed`, `properties`.',
    ]),
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
    expect(() => accepted(one)).toThrow(expect.objectContaining({ status: 422, message }))
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
    expect(accepted(update({ last_name: 'x', unsubscribed: null, properties: null }))).toEqual({ last_name: 'x' })
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
    expect(() => accepted(check(rule))).toThrow(expect.objectContaining({ status: 422, message }))
  })

  test('is kept as it is, with known fields', () => {
    const rule = group(
      { ...RULE, value: null },
      { type: 'or', rules: [{ type: 'rule', field: 'contact.properties.seats', operator: 'gte', value: 3 }] },
      { type: 'rule', field: 'properties.plan', operator: 'exists' },
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
