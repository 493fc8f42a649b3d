import fc from 'fast-check'
import { expect, test } from 'vitest'
import { join, raw, type Sql, sql } from './sql.ts'

const chosen = (column: string, value: unknown, filter: Sql) =>
  sql`select ${raw(column)} from t where a = ${value} ${filter} limit ${1}`

test('a statement of the same text has the same name, with the values of each call', () => {
  const filter = (value: number) => sql`and c = ${value}`
  const first = chosen('b', 'x', filter(2))
  const second = chosen('b', 'y', filter(3))

  expect(first.toQuery()).toMatchObject({
    text: 'select b from t where a = $1 and c = $2 limit $3',
    values: ['x', 2, 1],
  })
  expect(second.toQuery()).toMatchObject({ name: first.toQuery().name, values: ['y', 3, 1] })
})

test('pieces of other texts make other statements, also where a value was', () => {
  const texts = [
    chosen('b', 'x', sql``),
    chosen('c', 'x', sql``),
    chosen('b', sql`now()`, sql``),
    chosen('b', 'x', sql`and d is ${null}`),
  ].map((statement) => statement.toQuery().text)

  expect(texts).toEqual([
    'select b from t where a = $1  limit $2',
    'select c from t where a = $1  limit $2',
    'select b from t where a = now()  limit $1',
    'select b from t where a = $1 and d is $2 limit $3',
  ])
})

test('what contains a piece that writes writes, and the same text without it does not', () => {
  const around = (piece: Sql) => sql`with x as (${piece}) select`

  expect(around(sql.write`delete from t`).isWrite).toBe(true)
  expect(around(sql`delete from t`).isWrite).toBe(false)
  expect(around(sql.write`delete from t`).isWrite).toBe(true)
})

test('parameters are numbered in their order, however many pieces are joined', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 20 }), (values) => {
      const pieces = values.map((value) => sql`a = ${value}`)
      const query = sql`select ${true} where ${join(pieces, ' or ')}`.toQuery()

      expect(query.text).toBe(`select $1 where ${values.map((_, index) => `a = $${index + 2}`).join(' or ')}`)
      expect(query.values).toEqual([true, ...values])
    }),
  )
})
