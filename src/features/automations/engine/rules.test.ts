import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Operator, Rule, Scalar } from './graph.ts'
import { evaluate, MissingField, WrongType } from './rules.ts'

const FIELDS: Record<string, unknown> = {
  'event.plan': 'pro',
  'event.seats': 5,
  'event.paid': false,
  'event.coupon': null,
  'event.note': '',
  'event.tags': [],
  'event.items': ['a'],
  'event.address': { city: 'Zurich' },
}
const holds = (rule: Rule) => evaluate(rule, (field) => FIELDS[field])
const rule = (field: string, operator: Operator, value?: Scalar | null): Rule =>
  value === undefined ? { type: 'rule', field, operator } : { type: 'rule', field, operator, value }

describe('a rule', () => {
  test.each<[string, Operator, Scalar | null | undefined, boolean]>([
    ['event.plan', 'eq', 'pro', true],
    ['event.plan', 'eq', 'Pro', false],
    ['event.plan', 'neq', 'free', true],
    ['event.plan', 'eq', null, false],
    ['event.plan', 'neq', null, true],
    ['event.coupon', 'eq', null, true],
    ['event.coupon', 'neq', null, false],
    ['event.coupon', 'neq', 'x', true],
    ['event.seats', 'eq', '5', false],
    ['event.paid', 'eq', false, true],
    ['event.address', 'neq', null, true],
    ['event.seats', 'gt', 5, false],
    ['event.seats', 'gte', 5, true],
    ['event.seats', 'lt', 5.1, true],
    ['event.seats', 'lte', 4, false],
    ['event.plan', 'contains', 'r', true],
    ['event.plan', 'contains', 'x', false],
    ['event.plan', 'starts_with', 'pr', true],
    ['event.plan', 'ends_with', 'pr', false],
    ['event.plan', 'exists', undefined, true],
    ['event.coupon', 'exists', undefined, false],
    ['event.gone', 'exists', undefined, false],
    ['event.paid', 'exists', undefined, true],
    ['event.gone', 'is_empty', undefined, true],
    ['event.coupon', 'is_empty', undefined, true],
    ['event.note', 'is_empty', undefined, true],
    ['event.tags', 'is_empty', undefined, true],
    ['event.items', 'is_empty', undefined, false],
    ['event.address', 'is_empty', undefined, false],
    ['event.paid', 'is_empty', undefined, false],
  ])('%s %s %s: %s', (field, operator, value, expected) => {
    expect(holds(rule(field, operator, value))).toBe(expected)
  })

  test.each<[Operator, Scalar | null]>([
    ['eq', null],
    ['neq', 'x'],
    ['gt', 1],
    ['contains', 'x'],
  ])('with %s about a field that is not there fails, and says which', (operator, value) => {
    expect(() => holds(rule('event.gone', operator, value))).toThrow(MissingField)
    expect(() => holds(rule('event.gone', operator, value))).toThrow('There is no `event.gone`.')
  })

  test.each<[string, Operator, Scalar, string]>([
    ['event.plan', 'gt', 1, '`event.plan` is a text. The operator `gt` needs a number.'],
    ['event.coupon', 'lte', 1, '`event.coupon` is null. The operator `lte` needs a number.'],
    ['event.seats', 'contains', '5', '`event.seats` is a number. The operator `contains` needs a text.'],
    ['event.paid', 'ends_with', 'x', '`event.paid` is true or false. The operator `ends_with` needs a text.'],
    ['event.items', 'contains', 'a', '`event.items` is a list. The operator `contains` needs a text.'],
    ['event.address', 'starts_with', 'a', '`event.address` is an object. The operator `starts_with` needs a text.'],
  ])('on %s with %s fails, since that has another type', (field, operator, value, message) => {
    expect(() => holds(rule(field, operator, value))).toThrow(WrongType)
    expect(() => holds(rule(field, operator, value))).toThrow(message)
  })

  test('that asks first keeps the next one from failing', () => {
    const asked = (type: 'and' | 'or', first: Operator): Rule => ({
      type,
      rules: [rule('event.gone', first), rule('event.gone', 'gt', 3)],
    })

    expect(holds(asked('and', 'exists'))).toBe(false)
    expect(holds(asked('or', 'is_empty'))).toBe(true)
    expect(() => holds(asked('or', 'exists'))).toThrow(MissingField)
  })

  test('of many is what logic says', () => {
    const leaf = fc.boolean().map((isTrue) => rule('event.paid', 'eq', !isTrue))
    const { tree } = fc.letrec<{ tree: Rule }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({
          type: fc.constantFrom('and' as const, 'or' as const),
          rules: fc.array(tie('tree'), { minLength: 1 }),
        }),
      ),
    }))
    const expected = (one: Rule): boolean => {
      if (one.type === 'rule') return one.value === false
      const results = one.rules.map(expected)
      return one.type === 'and' ? !results.includes(false) : results.includes(true)
    }
    fc.assert(fc.property(tree, (one) => holds(one) === expected(one)))
  })
})
