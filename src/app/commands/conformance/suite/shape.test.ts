import { expect, test } from 'vitest'
import {
  absent,
  is,
  iso,
  listing,
  listOf,
  mismatches,
  nullable,
  optional,
  same,
  string,
  timestamp,
  uuid,
} from './shape.ts'

const ID = '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794'

test.each([
  ['a UUID', uuid, [ID], [ID.toUpperCase(), `${ID} `, 'x', 3, null, undefined]],
  [
    'a time of PostgreSQL',
    timestamp,
    ['2023-04-08 00:11:13.110779+00', '2023-10-06 23:47:56.678+00'],
    ['2023-10-06T23:47:56.678Z', '2023-10-06 23:47:56', 0],
  ],
  ['an ISO time', iso, ['2023-10-06T23:47:56.678Z'], ['2023-04-08 00:11:13.110779+00', '2023-10-06']],
  ['null or a text', nullable(string), [null, 'a'], [undefined, 3]],
  ['the same JSON in another order', same({ a: 1, b: [2] }), [{ b: [2], a: 1 }], [{ a: 1 }, { a: 1, b: [2, 3] }]],
  ['nothing', absent, [undefined], [null, 'a']],
])('%s', (_name, shape, right, wrong) => {
  for (const value of right) expect(mismatches(value, shape)).toEqual([])
  for (const value of wrong) expect(mismatches(value, shape), String(value)).toHaveLength(1)
})

test('a difference says where it is', () => {
  const body = { object: 'list', has_more: 'no', data: [{ id: ID }, { id: 7 }] }

  expect(mismatches(body, listOf({ id: uuid }))).toEqual([
    { path: 'has_more', expected: 'a boolean', actual: '"no"' },
    { path: 'data[1].id', expected: 'a UUID', actual: '7' },
  ])
})

test('fields that the contract does not name may be there, and optional ones be missing', () => {
  expect(mismatches({ object: 'email', more: 1 }, { object: is('email'), tags: optional(listing(string)) })).toEqual([])
  expect(mismatches({ object: 'email', tags: 'a' }, { tags: optional(listing(string)) })).toHaveLength(1)
})

test('what is no object has no fields', () => {
  for (const value of [null, undefined, [], 'text', 3]) expect(mismatches(value, { id: uuid })).toHaveLength(1)
})

test('values of the other side are shortened', () => {
  const [difference] = mismatches('x'.repeat(10_000), uuid)

  expect(difference!.actual.length).toBeLessThan(150)
})
