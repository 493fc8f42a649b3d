import { expect, test } from 'vitest'
import type { Siblings } from '../../platform/siblings.ts'
import { OneTimeLink } from './one-time-link.ts'

/** Processes that answer on one port: each asks all the others. */
function siblingsOf(count: number): Siblings[] {
  const answers = Array.from({ length: count }, () => new Map<string, (payload: unknown) => Promise<unknown>>())
  return answers.map((own, index) => ({
    number: index + 1,
    ask: (question, payload) =>
      Promise.all(answers.filter((other) => other !== own).map((other) => other.get(question)?.(payload))),
    answer: (question, by) => void own.set(question, by),
  }))
}

test('a link works once, and a wrong one never', async () => {
  const link = new OneTimeLink()
  const code = link.make()

  expect(await link.use('A'.repeat(32))).toBe(false)
  expect(await link.use('')).toBe(false)
  expect(await link.use(code)).toBe(true)
  expect(await link.use(code)).toBe(false)
})

test('of several processes any takes the link that one of them has made, once', async () => {
  const [first, second, third] = siblingsOf(3).map((siblings) => new OneTimeLink(siblings))
  const code = first!.make()

  expect(await second!.use('A'.repeat(32))).toBe(false)
  expect((await Promise.all([second!.use(code), third!.use(code)])).sort()).toEqual([false, true])
  expect(await first!.use(code)).toBe(false)
})
