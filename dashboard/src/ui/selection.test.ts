import { expect, test } from 'vitest'
import { toggled } from './selection.ts'

const IDS = ['a', 'b', 'c', 'd', 'e']

test.each([
  [[], 'b', null, ['b']],
  [['b'], 'b', null, []],
  [['b'], 'd', 'b', ['b', 'c', 'd']],
  [['e'], 'b', 'd', ['b', 'c', 'd', 'e']],
  // The one that was selected last is on another page now.
  [['a'], 'c', 'gone', ['a', 'c']],
])('of %j, %s with %s before it', (selected, id, anchor, now) => {
  expect(toggled(IDS, selected, id, anchor)).toEqual(now)
})
