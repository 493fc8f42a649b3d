import { describe, expect, test } from 'vitest'
import { coerce, measure } from './payload.ts'

const refusal = (act: () => unknown) => {
  try {
    return act()
  } catch (error) {
    return (error as Error).message
  }
}

describe('a payload is coerced into the types of its schema', () => {
  test.each([
    ['string', 'pro', 'pro'],
    ['string', 7.5, '7.5'],
    ['string', false, 'false'],
    ['number', -3, -3],
    ['number', ' 12.50 ', 12.5],
    ['number', '.5e3', 500],
    ['boolean', true, true],
    ['boolean', 'false', false],
    ['date', '2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['date', '2026-11-15T01:20:30.1234+02:00', '2026-11-14T23:20:30.123Z'],
    ['date', '2026-11-15 01:20:30.123456+00', '2026-11-15T01:20:30.123Z'],
    ['date', 0, '1970-01-01T00:00:00.000Z'],
  ] as const)('%s from %j', (type, given, kept) => {
    expect(coerce({ field: given, other: given }, { field: type })).toEqual({ field: kept, other: given })
  })

  test.each([
    ['string', {}],
    ['string', ['pro']],
    ['number', ''],
    ['number', '12 apples'],
    ['number', '0x10'],
    ['number', '1e999'],
    ['number', true],
    ['boolean', 'yes'],
    ['boolean', 1],
    ['date', 'tomorrow'],
    ['date', '2026-02-30'],
    ['date', '2026-11-15T25:00:00Z'],
    ['date', 9e15],
    ['date', 253_402_300_800_000],
    ['date', true],
  ] as const)('%s from %j is refused', (type, given) => {
    expect(refusal(() => coerce({ field: given }, { field: type }))).toMatch(
      /^Invalid `payload\.field` field\. It must be /,
    )
  })

  // With digits that can be read in two ways it would take minutes.
  test('a long text that is almost a number is refused at once', () => {
    expect(refusal(() => coerce({ n: `${'1'.repeat(60_000)}x` }, { n: 'number' }))).toContain('`payload.n`')
  })

  test('what is missing, null or unknown stays as it is', () => {
    expect(coerce({ a: null, other: { deep: [1] } }, { a: 'number', b: 'date' })).toEqual({
      a: null,
      other: { deep: [1] },
    })
  })

  test('names that every object has are names like any other', () => {
    const payload = JSON.parse('{"__proto__":{"polluted":1},"constructor":"5","toString":"x"}')

    const coerced = coerce(payload, JSON.parse('{"constructor":"number"}'))

    expect(JSON.stringify(coerced)).toBe('{"__proto__":{"polluted":1},"constructor":5,"toString":"x"}')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(refusal(() => coerce(payload, JSON.parse('{"__proto__":"number"}')))).toContain('`payload.__proto__`')
  })
})

describe('a payload has bounds', () => {
  const nested = (levels: number): Record<string, unknown> => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) })

  test('of size, as JSON in UTF-8', () => {
    expect(measure({ text: 'x'.repeat(64 * 1024 - 11) })).toBe(64 * 1024)
    expect(refusal(() => measure({ text: 'ä'.repeat(32 * 1024) }))).toBe(
      'Invalid `payload` field. It must be at most 64 kB of JSON.',
    )
  })

  test('of depth', () => {
    expect(measure(nested(10))).toBeGreaterThan(0)
    expect(refusal(() => measure(nested(11)))).toBe(
      'Invalid `payload` field. It is nested too deeply. It can have 10 levels.',
    )
    expect(refusal(() => measure({ a: [[[[[[[[[[1]]]]]]]]]] }))).toContain('nested too deeply')
  })

  test('of numbers', () => {
    expect(refusal(() => measure(JSON.parse('{"order":{"total":1e400}}')))).toBe(
      'Invalid `payload.order.total` field. The number is too large.',
    )
  })
})
