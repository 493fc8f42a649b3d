import { expect, test } from 'vitest'
import { loadOnce } from './load-once.ts'

test('what failed to load is loaded when it is asked for again, and then kept', async () => {
  const results = [Promise.reject(new Error('too many open files')), Promise.resolve('loaded')]
  let loads = 0
  const load = loadOnce(() => results[loads++]!)

  await expect(Promise.all([load(), load()])).rejects.toThrow('too many open files')
  expect(await Promise.all([load(), load()])).toEqual(['loaded', 'loaded'])
  expect(await load()).toBe('loaded')
  expect(loads).toBe(2)
})
