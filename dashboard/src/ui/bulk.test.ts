import { expect, test } from 'vitest'
import { runBulk } from './bulk.ts'

test('what fails is reported, and the rest is done', async () => {
  const progress: number[] = []
  const report = await runBulk([1, 2, 3, 4, 5, 6], {
    run: async ([item]) => {
      if (item === 2) throw new Error('No.')
    },
    onProgress: (settled) => progress.push(settled),
  })

  expect(report).toEqual({ done: 5, failures: [{ item: 2, message: 'No.' }] })
  expect(progress).toEqual([1, 2, 3, 4, 5, 6])
})

test('one call takes as many as fit, and a call that fails fails for all of them', async () => {
  const groups: (readonly number[])[] = []
  const report = await runBulk([1, 2, 3, 4, 5], {
    size: 2,
    run: async (group) => {
      groups.push(group)
      if (group.includes(3)) throw new Error('No.')
    },
  })

  expect(groups).toEqual([[1, 2], [3, 4], [5]])
  expect(report.done).toBe(3)
  expect(report.failures.map(({ item }) => item)).toEqual([3, 4])
})

test('at most four calls at a time, and none after it was stopped', async () => {
  const stop = new AbortController()
  const open: (() => void)[] = []
  let calls = 0
  const running = runBulk(
    Array.from({ length: 20 }, (_, at) => at),
    {
      signal: stop.signal,
      run: () => {
        calls++
        return new Promise<void>((resolve) => open.push(resolve))
      },
    },
  )
  expect(calls).toBe(4)
  stop.abort()
  for (const end of open) end()

  expect(await running).toEqual({ done: 4, failures: [] })
  expect(calls).toBe(4)
})
