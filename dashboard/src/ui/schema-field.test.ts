import Type from 'typebox'
import { expect, test } from 'vitest'
import { asHtmlPattern, asValue, constraintsOf, rulesOf } from './schema-field.ts'

const SHAPE = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 50 }),
  email: Type.String({ format: 'email' }),
  note: Type.Optional(Type.Union([Type.String({ maxLength: 9 }), Type.Null()])),
  count: Type.Optional(Type.Integer({ minimum: 3 })),
  isOn: Type.Boolean({ default: false }),
  alias: Type.Optional(Type.String({ pattern: '^[a-z]+$', description: 'Small letters' })),
  empty: Type.Optional(Type.String({ minLength: 0 })),
})
const rules = (name: keyof typeof SHAPE.properties) => rulesOf(SHAPE, name)

test('a field is required unless it is optional or has a default', () => {
  expect(rules('name').isRequired).toBe(true)
  expect(rules('note').isRequired).toBe(false)
  expect(rules('isOn').isRequired).toBe(false)
})

test('a field that may be null has the rules of what else it may be', () => {
  expect(rules('note')).toMatchObject({ isNullable: true, schema: { type: 'string', maxLength: 9 } })
  expect(rules('name').isNullable).toBe(false)
})

test('the browser checks what the API does', () => {
  expect(constraintsOf(rules('name'))).toEqual({ required: true, type: 'text', minLength: 1, maxLength: 50 })
  expect(constraintsOf(rules('email')).type).toBe('email')
  expect(constraintsOf(rules('count'))).toEqual({ required: false, type: 'number', min: 3 })
  expect(constraintsOf(rules('alias'))).toMatchObject({ pattern: '^[a-z]+$', title: 'Small letters' })
})

test('an empty field is left out, is null, or is an empty text, as the API takes it', () => {
  expect(asValue(rules('alias'), '')).toBeUndefined()
  expect(asValue(rules('note'), '')).toBeNull()
  expect(asValue(rules('empty'), '')).toBe('')
})

test('what was typed has the type that the API wants', () => {
  expect(asValue(rules('count'), '12')).toBe(12)
  expect([asValue(rules('isOn'), 'true'), asValue(rules('isOn'), '')]).toEqual([true, false])
  expect(asValue(rules('name'), '12')).toBe('12')
})

test.each(['^[a-z](?:[a-z0-9-]*[a-z0-9])?$', '^[-+()/|{}.]+$', String.raw`^[\w\-.]+$`, '^[A-Za-z0-9_-]+$'])(
  'a browser takes the pattern %s, and it means the same',
  (pattern) => {
    const [ours, theirs] = [new RegExp(pattern, 'u'), new RegExp(asHtmlPattern(pattern), 'v')]

    for (const text of ['send', 'a-b', '-', '(', 'A_', 'ab-', '/|', 'a.b', 'ä'])
      expect(theirs.test(text), text).toBe(ours.test(text))
  },
)
