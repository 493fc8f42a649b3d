import { expect, test } from 'vitest'
import { holdSteadyTime } from '../../../test/harness/steady-time.ts'
import { LostClaims, POOLED_UNCERTAIN_MS } from './lost-claims.ts'

function start() {
  const time = holdSteadyTime()
  const lost = new LostClaims()
  let releases = 0
  const claim = () =>
    lost.claim(
      async () => [],
      async () => void releases++,
    )
  return { time, lost, claim, releases: () => releases }
}

test('a statement that may run for minutes is looked for as long, whatever fails meanwhile', async () => {
  const { time, lost, claim, releases } = start()
  lost.markUncertain(POOLED_UNCERTAIN_MS)
  lost.markUncertain()
  time.advance(POOLED_UNCERTAIN_MS - 1)
  await claim()
  const wasUncertain = lost.isUncertain
  time.advance(1)
  await claim()

  expect([wasUncertain, lost.isUncertain]).toEqual([true, false])
  expect(releases()).toBe(1)
})

test('while what is held and not in flight is released, nothing is certain, and not after a release that failed', async () => {
  const { time, lost } = start()
  lost.markUncertain(1_000)
  const seen: boolean[] = []
  const release = async () => {
    time.advance(2_000)
    seen.push(lost.isUncertain)
    throw new Error('The connection is lost.')
  }
  await expect(lost.claim(async () => [], release)).rejects.toThrow('The connection is lost.')

  expect([...seen, lost.isUncertain]).toEqual([true, true])
})

test('a claim that PostgreSQL has refused has claimed nothing; of one without an answer nobody knows', async () => {
  const { lost } = start()
  const failWith = (error: Error) =>
    lost.claim(
      () => Promise.reject(error),
      async () => {},
    )
  await expect(failWith(Object.assign(new Error('The row has moved.'), { code: '40001' }))).rejects.toThrow()
  const afterRefusal = lost.isUncertain
  await expect(failWith(new Error('Connection terminated unexpectedly'))).rejects.toThrow()

  expect([afterRefusal, lost.isUncertain]).toEqual([false, true])
})
