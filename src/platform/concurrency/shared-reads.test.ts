import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SharedReads } from './shared-reads.ts'

/** A source whose reads end when the test says so. */
function source() {
  const ends: { resolve(value: string): void; reject(error: Error): void }[] = []
  const read = () => new Promise<string>((resolve, reject) => ends.push({ resolve, reject }))
  return { ends, read }
}

test('those who ask in one turn share a read, and those who ask later share the next one', async () => {
  const reads = new SharedReads<string>()
  const { ends, read } = source()

  const first = [reads.read('a', read), reads.read('a', read)]
  await nextTurn()
  const second = [reads.read('a', read), reads.read('a', read)]
  expect(ends).toHaveLength(1)
  ends[0]!.resolve('before')
  expect(await Promise.all(first)).toEqual(['before', 'before'])
  expect(ends).toHaveLength(2)
  ends[1]!.resolve('after')

  expect(await Promise.all(second)).toEqual(['after', 'after'])
  expect(reads.size).toBe(0)
})

test('other keys are read by themselves, and what was read is not kept', async () => {
  const reads = new SharedReads<string>()
  let count = 0
  const read = async () => `${++count}`

  expect(await Promise.all([reads.read('a', read), reads.read('b', read)])).toEqual(['1', '2'])
  await nextTurn()
  expect(await reads.read('a', read)).toBe('3')
})

test('a read that fails fails for those who shared it, and the next one is done', async () => {
  const reads = new SharedReads<string>()
  const { ends, read } = source()

  const first = reads.read('a', read)
  await nextTurn()
  const second = reads.read('a', read)
  ends[0]!.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  ends[1]!.resolve('back')

  expect(await second).toBe('back')
  expect(reads.size).toBe(0)
})
