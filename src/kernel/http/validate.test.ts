import Type, { type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { Problem } from './problem.ts'
import { ABSENT_IF_EMPTY, CLEARABLE, Email, Id, nullable, oneOf, withDefault } from './shapes.ts'
import { type Source, validate } from './validate.ts'

/** What the caller is told: `kind: message`. */
function refusal(schema: TSchema, value: unknown, source: Source = 'body'): string {
  try {
    validate(schema, value, source)
  } catch (error) {
    if (error instanceof Problem) return `${error.kind}: ${error.message}`
    throw error
  }
  return 'accepted'
}

const Person = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 5 }),
  nickname: Type.Optional(Type.String({ maxLength: 5 })),
  email: Type.Optional(Email),
  id: Type.Optional(Id),
  size: Type.Optional(Type.Number()),
  stars: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  isKnown: Type.Optional(Type.Boolean()),
  note: Type.Optional(nullable(Type.String())),
  color: Type.Optional(oneOf(['red', 'green'])),
  pets: Type.Optional(Type.Array(Type.Object({ name: Type.String() }), { maxItems: 2 })),
  home: Type.Optional(Type.Object({ city: Type.String() })),
  key: Type.Optional(Type.String({ pattern: '^[a-z]+$', description: 'lower case letters' })),
  labels: Type.Optional(Type.Record(Type.String(), Type.String(), { propertyNames: Type.String({ maxLength: 3 }) })),
})

test.each([
  [{}, 'missing_required_field: Missing `name` field.'],
  [{ name: null }, 'missing_required_field: Missing `name` field.'],
  [{ name: 5 }, 'validation_error: Invalid `name` field. It must be a string of 1 to 5 characters.'],
  [{ name: '' }, 'validation_error: Invalid `name` field. It must be a string of 1 to 5 characters.'],
  [{ name: '🐦🐦🐦🐦🐦' }, 'accepted'],
  [{ name: '🐦🐦🐦🐦🐦🐦' }, 'validation_error: Invalid `name` field. It must be a string of 1 to 5 characters.'],
  [
    { name: 'Ada', nickname: 'Countess' },
    'validation_error: Invalid `nickname` field. It must be a string of at most 5 characters.',
  ],
  [
    { name: 'Ada', email: 'ada' },
    'validation_error: Invalid `email` field. The email address needs to follow the `email@example.com` format.',
  ],
  [{ name: 'Ada', id: '1' }, 'validation_error: Invalid `id` field. It must be a valid UUID.'],
  [{ name: 'Ada', size: '5' }, 'validation_error: Invalid `size` field. It must be a number.'],
  [{ name: 'Ada', size: Number.POSITIVE_INFINITY }, 'validation_error: Invalid `size` field. It must be a number.'],
  [{ name: 'Ada', stars: 6 }, 'validation_error: Invalid `stars` field. It must be a number from 1 to 5.'],
  [{ name: 'Ada', isKnown: 'yes' }, 'validation_error: Invalid `isKnown` field. It must be `true` or `false`.'],
  [{ name: 'Ada', note: 5 }, 'validation_error: Invalid `note` field. It must be a string or `null`.'],
  [{ name: 'Ada', color: 'blue' }, 'validation_error: Invalid `color` field. It must be one of `red`, `green`.'],
  [{ name: 'Ada', pets: {} }, 'validation_error: Invalid `pets` field. It must be a list of at most 2 items.'],
  [{ name: 'Ada', pets: [{ name: 'Rex' }, {}] }, 'missing_required_field: Missing `pets[1].name` field.'],
  [{ name: 'Ada', home: { city: 5 } }, 'validation_error: Invalid `home.city` field. It must be a string.'],
  [{ name: 'Ada', key: 'KEY' }, 'validation_error: Invalid `key` field. It must be a string (lower case letters).'],
  [
    { name: 'Ada', labels: { long: 'x' } },
    'validation_error: Invalid `labels` field. The key `long` must be a string of at most 3 characters.',
  ],
  [{ name: 'Ada', labels: { 'a/b': 5 } }, 'validation_error: Invalid `labels.a/b` field. It must be a string.'],
  [[], 'validation_error: The request body must be an object.'],
  ['name', 'validation_error: The request body must be an object.'],
])('%j → %s', (body, answer) => {
  expect(refusal(Person, body)).toBe(answer)
})

test('a query and a path have their own words for it', () => {
  const Query = Type.Object({ id: Id, page: Type.String() })

  expect(refusal(Query, { id: '1', page: '1' }, 'params')).toBe('invalid_parameter: The `id` must be a valid UUID.')
  expect(refusal(Query, { id: '1' }, 'query')).toBe('missing_required_parameter: Missing `page` parameter.')
})

test('what a list of alternatives expects is told as one', () => {
  const Either = Type.Object({ segments: Type.Array(Type.Union([Type.Object({ id: Id }), Id])) })

  expect(refusal(Either, { segments: ['1'] })).toBe(
    'validation_error: Invalid `segments[0]` field. It must be an object or a valid UUID.',
  )
})

test('null and the empty list mean absent, unless they mean something', () => {
  const body = { name: 'Ada', nickname: null, note: null, pets: [], home: null, color: null }

  expect(validate(Person, body, 'body')).toEqual({ name: 'Ada', note: null })
  expect(body).toHaveProperty('nickname', null)
})

test('an empty text means absent where the schema says so, and null where that has a meaning', () => {
  const Letter = Type.Object({
    cc: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())], ABSENT_IF_EMPTY)),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()], ABSENT_IF_EMPTY)),
    subject: Type.Optional(Type.String()),
  })

  expect(validate(Letter, { cc: '', note: '', subject: '' }, 'body')).toEqual({ note: null, subject: '' })
  expect(validate(Letter, { cc: ['', ''] }, 'body')).toEqual({})
  expect(validate(Letter, { cc: ['', 'a'] }, 'body')).toEqual({ cc: ['', 'a'] })
})

test('null and the empty list take away what was there where the schema says so', () => {
  const Draft = Type.Object({
    to: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], { ...ABSENT_IF_EMPTY, ...CLEARABLE }),
    ),
    files: Type.Optional(Type.Array(Type.String(), CLEARABLE)),
  })

  expect(validate(Draft, { to: [], files: [] }, 'body')).toEqual({ to: null, files: [] })
  expect(validate(Draft, { to: '', files: null }, 'body')).toEqual({ to: null, files: [] })
  expect(validate(Draft, {}, 'body')).toEqual({})
})

test('an empty list for a map, and nulls in one, are what other languages write for nothing', () => {
  expect(validate(Person, { name: 'Ada', labels: [], home: [] }, 'body')).toEqual({ name: 'Ada' })
  expect(validate(Person, { name: 'Ada', labels: { a: null, b: 'c' } }, 'body')).toEqual({
    name: 'Ada',
    labels: { b: 'c' },
  })
})

test('an empty list that is required is a list', () => {
  const Batch = Type.Object({ emails: Type.Array(Email, { minItems: 1 }) })

  expect(refusal(Batch, { emails: [] })).toBe(
    'validation_error: Invalid `emails` field. It must be a list of at least 1 item.',
  )
})

test('defaults are filled in, for null too', () => {
  const Topic = Type.Object({ kind: withDefault(oneOf(['a', 'b']), 'b') })

  expect(validate(Topic, {}, 'body')).toEqual({ kind: 'b' })
  expect(validate(Topic, { kind: null }, 'body')).toEqual({ kind: 'b' })
})

test('unknown fields stay, also those that every object has', () => {
  const body = JSON.parse('{"name":"Ada","__proto__":{"name":5},"constructor":1,"unknown":[]}')

  expect(JSON.stringify(validate(Person, body, 'body'))).toBe(JSON.stringify(body))
})

test('a number in a query is text, and read as a number', () => {
  const stars = (text: unknown) => refusal(Person, { name: 'Ada', stars: text }, 'query')
  const refused = 'invalid_parameter: The `stars` must be a number from 1 to 5.'

  expect(validate(Person, { name: '5', stars: '4', size: '-1.5', __proto__: {} }, 'query')).toEqual({
    name: '5',
    stars: 4,
    size: -1.5,
  })
  for (const text of ['', ' ', '0', '6', '1.5', '4 ', '4x', '0x4', '1e0', 'NaN', '9'.repeat(400), ['4', '5']])
    expect([text, stars(text)]).toEqual([text, refused])
  expect(refusal(Person, { name: 'Ada', stars: '4' })).not.toBe('accepted')
})
