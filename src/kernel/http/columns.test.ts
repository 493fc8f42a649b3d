import Type from 'typebox'
import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { assignments, columnType, columnValues, fieldsOf, insertion, undatedAssignments } from './columns.ts'
import { Id, nullable, oneOf } from './shapes.ts'

const Thing = Type.Object({
  name: Type.String(),
  from: Type.Optional(nullable(Type.String())),
  tags: Type.Optional(Type.Array(Type.String())),
  value: Type.Optional(nullable(Type.Union([Type.String(), Type.Number()]))),
})

test('a body in any order makes the same statement, without what nobody knows', () => {
  const body = { value: 1, id: 'x', name: 'a', team_id: 'x', ['__proto__']: { tags: ['x'] } }

  expect(fieldsOf(Thing, body)).toEqual({ name: 'a', value: 1 })
  expect(insertion(columnValues(Thing, body)).toQuery()).toMatchObject({
    text: '("name", "value") values ($1, $2)',
    values: ['a', '1'],
  })
  expect(insertion(columnValues(Thing, { value: 1, name: 'a' })).toQuery().text).toBe(
    insertion(columnValues(Thing, { name: 'a', value: 1 })).toQuery().text,
  )
})

test('the schema says what a field is kept as', () => {
  const types = {
    text: [Type.String(), nullable(Type.String()), oneOf(['a', 'b']), Type.Literal('a')],
    uuid: [Id, nullable(Id)],
    boolean: [Type.Boolean()],
    bigint: [Type.Integer()],
    float8: [nullable(Type.Number())],
    'text[]': [Type.Array(oneOf(['a'])), Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()])],
    jsonb: [
      nullable(Type.Union([Type.String(), Type.Number()])),
      Type.Record(Type.String(), Type.String()),
      Type.Array(Type.Object({ id: Id })),
      Type.Unknown(),
    ],
  }

  for (const [type, fields] of Object.entries(types)) expect(fields.map(columnType)).toEqual(fields.map(() => type))
})

test('a text in a column for JSON is JSON, and null is no value', () => {
  expect(columnValues(Thing, { name: 'a', tags: ['b'], value: 'c' })).toEqual({ name: 'a', tags: ['b'], value: '"c"' })
  expect(columnValues(Thing, { from: null, tags: undefined, value: null })).toEqual({ from: null, value: null })
})

test('a new row may depend on a condition, and have values that the database makes', () => {
  const row = insertion({ id: 1, from: 'a', at: sql`now()`, name: undefined }, sql`${2} < 3`)

  expect(row.toQuery()).toMatchObject({
    text: '("id", "from", "at") select $1, $2, now() where $3 < 3',
    values: [1, 'a', 2],
  })
})

test('changes are assignments, and none is a statement too', () => {
  const now = new Date()
  expect(assignments({ from: 'a' }, now).toQuery()).toMatchObject({
    text: '"from" = $1, "updated_at" = $2',
    values: ['a', now],
  })
  expect(undatedAssignments({}).toQuery().text).toBe('id = id')
})

test.each(['name" = 1 --', 'na me', '', 'Name', '1'])('%j is no column', (name) => {
  expect(() => insertion({ [name]: 1 })).toThrow('is no column')
  expect(() => assignments({ [name]: 1 }, new Date())).toThrow('is no column')
})
