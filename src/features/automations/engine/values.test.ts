import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAbsent, type Json, lookUp, resolve, type Scope } from './values.ts'

const scope: Scope = {
  event: { plan: 'pro', user: { address: { city: 'Zurich' } }, items: [{ name: 'cup' }], coupon: null },
  contact: {
    id: '01932b5c-7d3e-7c46-9a51-6f6f0c1d2e3f',
    email: 'ada@example.com',
    first_name: 'Ada',
    last_name: null,
    unsubscribed: false,
    created_at: '2026-11-15T01:20:30.123Z',
    properties: { plan: 'free', seats: 3, email: 'old@example.com', properties: 'odd' },
  },
  waitEvents: { order: { paid: { total: 1 } }, 'order.paid': { total: 2, 'x.y': 3 }, 'order.paid.late': { days: 4 } },
}

describe('a reference', () => {
  test.each<[string, unknown]>([
    ['event.plan', 'pro'],
    ['event.user.address.city', 'Zurich'],
    ['event.user', { address: { city: 'Zurich' } }],
    ['event.items.0.name', 'cup'],
    ['event.coupon', null],
    ['contact.email', 'ada@example.com'],
    ['contact.first_name', 'Ada'],
    ['contact.last_name', null],
    ['contact.unsubscribed', false],
    ['contact.properties.plan', 'free'],
    ['contact.properties.email', 'old@example.com'],
    ['contact.properties.properties', 'odd'],
    ['contact.seats', 3],
    ['properties.seats', 3],
    ['wait_events.order.paid.total', 2],
    ['wait_events.order.paid.late.days', 4],
  ])('%s', (reference, value) => {
    expect(lookUp(scope, reference)).toEqual(value)
  })

  test.each([
    '',
    'event',
    'event.',
    'event.gone',
    'event.plan.length',
    'event.items.length',
    'event.items.1.name',
    'event.coupon.code',
    'event.__proto__',
    'event.constructor.name',
    'event.user.toString',
    'event..plan',
    'contact',
    'contact.gone',
    'contact.email.length',
    'contact.constructor',
    'contact.properties.__proto__',
    'properties.toString',
    'wait_events.order',
    'wait_events.gone.total',
    'wait_events.toString.name',
    'wait_events..total',
    'nobody.knows',
    '__proto__.x',
  ])('to nothing is undefined: %s', (reference) => {
    expect(lookUp(scope, reference)).toBeUndefined()
  })

  test('to a contact that is gone is undefined', () => {
    const alone = { ...scope, contact: null }

    expect(lookUp(alone, 'contact.email')).toBeUndefined()
    expect(lookUp(alone, 'contact.properties.plan')).toBeUndefined()
    expect(lookUp(alone, 'properties.plan')).toBeUndefined()
  })

  test('finds what the payload itself has, and nothing else', () => {
    const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', 'length', '0', 'hasOwnProperty')
    const { payload } = fc.letrec<{ payload: Json }>((tie) => ({
      payload: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string(),
        fc.array(tie('payload')),
        fc.dictionary(names, tie('payload')),
      ),
    }))
    const property = fc.property(payload, fc.array(names, { minLength: 1, maxLength: 4 }), (event, path) => {
      // What JSON says: a key that it does not write down is not there.
      let expected: unknown = JSON.parse(JSON.stringify(event))
      for (const name of path) {
        const entry =
          typeof expected === 'object' ? Object.entries(expected as object).find(([key]) => key === name) : undefined
        expected = entry?.[1]
      }
      expect(lookUp({ ...scope, event }, `event.${path.join('.')}`)).toEqual(expected)
    })
    fc.assert(property)
  })
})

describe('a value', () => {
  test('has its variables filled in wherever they are', () => {
    const value = {
      plan: { var: 'event.plan' },
      list: [1, { var: 'contact.seats' }, { total: { var: 'wait_events.order.paid.total' } }],
      gone: { var: 'event.gone' },
      text: 'event.plan',
      nothing: null,
      odd: { var: 'event.plan', other: 1 },
    }

    expect(resolve(value, scope)).toEqual({
      plan: 'pro',
      list: [1, 3, { total: 2 }],
      gone: undefined,
      text: 'event.plan',
      nothing: null,
      odd: { var: 'event.plan', other: 1 },
    })
  })

  test('that was filled in is not looked into', () => {
    const event = { trick: { var: 'contact.email' } }

    expect(resolve({ var: 'event.trick' }, { ...scope, event })).toEqual({ var: 'contact.email' })
  })

  test('keeps a key that is called like the prototype', () => {
    const value = JSON.parse('{"__proto__": {"var": "event.plan"}}')

    expect(Object.entries(resolve(value, scope) as object)).toEqual([['__proto__', 'pro']])
  })
})

test.each<[unknown, string | null]>([
  [{ first_name: 'Ada', properties: { plan: { var: 'event.plan' }, coupon: { var: 'event.coupon' } } }, null],
  [{ first_name: { var: 'event.plan' }, properties: { plan: { var: 'event.gone' } } }, 'event.gone'],
  [{ var: 'contact.gone' }, 'contact.gone'],
])('the variable without a value of %j', (value, absent) => {
  expect(findAbsent(value, scope)).toBe(absent)
})
