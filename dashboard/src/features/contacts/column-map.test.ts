import { expect, test } from 'vitest'
import { columnMapOf, targetOf } from './column-map.ts'

const column = (name: string) => ({ name, samples: [] })
const PROPERTIES = [
  { key: 'plan', type: 'string' as const },
  { key: 'Shoe_size', type: 'number' as const },
]

test.each([
  ['E-Mail', 'field:email'],
  ['Plan', 'property:plan'],
  ['shoe size', 'property:Shoe_size'],
  ['colour', ''],
])('a column %j is mapped to %j', (name, target) => {
  expect(targetOf(column(name), PROPERTIES)).toBe(target)
})

test('columns go to fields, to properties with their type, and to new properties', () => {
  const columns = ['Mail', 'Plan', 'shoe size', 'Home town', 'rest'].map(column)
  const targets = ['field:email', 'property:plan', 'property:Shoe_size', 'create:string', ''] as const

  expect(columnMapOf(columns, targets, PROPERTIES)).toEqual({
    map: {
      email: 'Mail',
      properties: {
        plan: { column: 'Plan', type: 'string' },
        Shoe_size: { column: 'shoe size', type: 'number' },
        home_town: { column: 'Home town', type: 'string' },
      },
    },
  })
})

test.each([
  [['plan'], ['property:plan'], 'Choose the column with the email address.'],
  [['a', 'b'], ['field:email', 'field:email'], 'Two columns are mapped to email.'],
  [['a', 'Plan', 'b'], ['field:email', 'create:string', 'property:plan'], 'Two columns are mapped to plan.'],
  [['a', 'first_name'], ['field:email', ''], 'A column named first_name is always imported.'],
] as const)('%j as %j is refused', (names, targets, error) => {
  expect(columnMapOf(names.map(column), targets, PROPERTIES)).toEqual({ error: expect.stringContaining(error) })
})
