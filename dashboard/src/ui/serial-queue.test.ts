import { expect, test } from 'vitest'
import { isQueueBusy, runSerially, whenQueueIdle } from './serial-queue.ts'

/** Something that ends when the test says so. */
function task(log: string[], name: string) {
  let [end, fail] = [() => {}, (_error: Error) => {}]
  const ending = new Promise<void>((resolve, reject) => {
    ;[end, fail] = [resolve, reject]
  })
  const run = async () => {
    log.push(`${name} begins`)
    await ending
    log.push(`${name} ends`)
  }
  return { run, end: () => end(), fail: () => fail(new Error(`${name} failed`)) }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))

test('what is done to one thing is done in order, and to another beside it', async () => {
  const log: string[] = []
  const [first, second, other] = [task(log, 'first'), task(log, 'second'), task(log, 'other')]
  const all = [runSerially('a', first.run), runSerially('a', second.run), runSerially('b', other.run)]
  await turn()

  expect(log).toEqual(['first begins', 'other begins'])
  first.end()
  await turn()
  expect(log.slice(2)).toEqual(['first ends', 'second begins'])
  second.end()
  other.end()
  await Promise.all(all)
  expect([isQueueBusy('a'), isQueueBusy('b')]).toEqual([false, false])
})

test('one that fails says so to its caller, and the next one is done all the same', async () => {
  const log: string[] = []
  const [first, second] = [task(log, 'first'), task(log, 'second')]
  const failing = runSerially('a', first.run)
  const next = runSerially('a', second.run)
  first.fail()
  second.end()

  await expect(failing).rejects.toThrow('first failed')
  await next
  expect(log).toEqual(['first begins', 'second begins', 'second ends'])
})

test('whoever waits for the queue waits for all that was begun before', async () => {
  const log: string[] = []
  const [first, second] = [task(log, 'first'), task(log, 'second')]
  void runSerially('a', first.run)
  void runSerially('a', second.run)
  const idle = whenQueueIdle('a').then(() => log.push('idle'))
  expect(isQueueBusy('a')).toBe(true)

  first.end()
  await turn()
  expect(log).not.toContain('idle')
  second.end()
  await idle
  expect(log.at(-1)).toBe('idle')
})
