import { expect, test } from 'vitest'
import { readableLog } from '../../../test/harness/log.ts'
import { DatabaseAway } from '../database-errors.ts'
import { RepeatedErrors } from './repeated-errors.ts'

test('the first error of a kind is logged with its stack, and the others as a number', async () => {
  const { log, saying } = readableLog()
  const errors = new RepeatedErrors(log, 'smtp: session failed', 1)

  for (let n = 0; n < 729; n++) errors.note(new Error('no disk'), { session: `s${n}` })
  errors.note(new Error('no memory'))

  expect(saying('smtp: session failed')).toMatchObject([
    { session: 's0', error: { message: 'no disk' } },
    { error: { message: 'no memory' } },
  ])
  await expect.poll(() => saying('smtp: session failed again')).toEqual([{ times: 728, reason: 'no disk' }])
})

test('a database that is away is told by whoever watches it, and not again', () => {
  const { log, text } = readableLog()

  new RepeatedErrors(log, 'smtp: session failed').note(new DatabaseAway('connect ECONNREFUSED'))

  expect(text()).toBe('[]')
})

test('errors that never say the same are told apart up to a point', () => {
  const { log, saying } = readableLog()
  const errors = new RepeatedErrors(log, 'smtp: session failed')

  for (let n = 0; n < 100; n++) errors.note(new Error(`failure ${n}`))

  expect(saying('smtp: session failed')).toHaveLength(21)
})
