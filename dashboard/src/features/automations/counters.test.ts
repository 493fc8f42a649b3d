import { expect, test } from 'vitest'
import { countersText, type StepCounters } from './counters.ts'

const NONE = { entered: 0, waiting: 0, sent: 0, opened: 0, clicked: 0, skipped: 0, failed: 0, cancelled: 0 }
const counters = (some: object) => ({ key: 'mail', ...NONE, ...some }) as unknown as StepCounters

test('only what has happened is told, in the order in which it happens', () => {
  expect(countersText(counters({ failed: 2, entered: 1_200, sent: 7 }))).toBe('1,200 entered · 7 sent · 2 failed')
})

test('where nobody came by nothing is told', () => {
  expect([countersText(counters({})), countersText(undefined)]).toEqual(['', ''])
})
