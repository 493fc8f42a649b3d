import { expect, test } from 'vitest'
import { adviceFor } from './bounce-advice.ts'
import * as words from './refusal-words.ts'

test('every kind of bounce has advice', () => {
  const kinds = [
    ...[words.NO_EMAIL, words.BAD_ADDRESS, words.FULL, words.TOO_LARGE, words.CONTENT],
    ...[words.ATTACHMENT, words.PASSING, words.UNDETERMINED],
  ]

  const advice = kinds.map(adviceFor)

  expect(new Set(advice).size).toBe(kinds.length)
})
