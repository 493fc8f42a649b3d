import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { countTurns } from '../../../test/harness/turns.ts'
import { inTurns } from './in-turns.ts'

test('work in steps gives others a turn every four milliseconds', async () => {
  const time = holdSteadyTime()
  const turns = countTurns()
  function* work() {
    for (let step = 0; step < 100; step++) {
      time.advance(1)
      yield undefined
    }
    return 'done'
  }

  expect(await inTurns(work())).toBe('done')

  // The last turn may be over before the counter has its own.
  await nextTurn()
  expect(turns()).toBeGreaterThanOrEqual(25)
})

test('what is short gives none', async () => {
  holdSteadyTime()
  const turns = countTurns()
  function* work() {
    for (let step = 0; step < 100; step++) yield undefined
  }

  await inTurns(work())

  expect(turns()).toBe(0)
})
