import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { Semaphore } from './semaphore.ts'

/** Tasks that begin when they may and end when the test says so. */
function tasksOn(semaphore: Semaphore) {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    run(name: string, weight: number, options = {}) {
      const task = () => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
      }
      return semaphore.run(weight, task, options)
    },
    end: (name: string) => ends.get(name)!(),
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('tasks run at once while there is room, and wait when there is none', async () => {
  const { begun, run, end } = tasksOn(new Semaphore(3))

  const first = run('a', 1)
  run('b', 2)
  run('c', 1)
  await turn()
  const atFirst = [...begun]
  end('a')
  await turn()

  expect(atFirst).toEqual(['a', 'b'])
  expect(begun).toEqual(['a', 'b', 'c'])
  expect(await first).toBe('a')
})

test('low priority comes after everything else, in order', async () => {
  const { begun, run, end } = tasksOn(new Semaphore(1))
  run('a', 1, { isLowPriority: true })
  for (const name of ['slow 1', 'slow 2']) run(name, 1, { isLowPriority: true })
  for (const name of ['quick 1', 'quick 2']) run(name, 1)

  for (const name of ['a', 'quick 1', 'quick 2', 'slow 1']) {
    await turn()
    end(name)
  }
  await turn()

  expect(begun).toEqual(['a', 'quick 1', 'quick 2', 'slow 1', 'slow 2'])
})

test('who waits longest is next, also when somebody smaller would fit', async () => {
  const { begun, run, end } = tasksOn(new Semaphore(3))
  run('a', 2)
  run('large', 3)
  run('small', 1)
  await turn()

  end('a')
  await turn()
  const next = [...begun]
  end('large')
  await turn()

  expect(next).toEqual(['a', 'large'])
  expect(begun).toEqual(['a', 'large', 'small'])
})

test('a task that is larger than all there is gets all there is', async () => {
  const { begun, run, end } = tasksOn(new Semaphore(2))
  run('huge', 1_000)
  run('small', 1)
  await turn()
  const atFirst = [...begun]

  end('huge')
  await turn()

  expect(atFirst).toEqual(['huge'])
  expect(begun).toEqual(['huge', 'small'])
})

test('who would rather hear no than wait takes what is free, and never before those who wait', async () => {
  const semaphore = new Semaphore(3)
  const { begun, run, end } = tasksOn(semaphore)

  expect([semaphore.tryTake(2), semaphore.tryTake(2), semaphore.tryTake(1)]).toEqual([true, false, true])
  expect([semaphore.used, semaphore.free]).toEqual([3, 0])
  run('waits', 2)
  semaphore.giveBack(1)
  expect(semaphore.tryTake(1)).toBe(false)
  semaphore.giveBack(2)
  await turn()

  expect(begun).toEqual(['waits'])
  end('waits')
})

test('a task that needs less from now on makes room, and one that needs more keeps others out', async () => {
  const semaphore = new Semaphore(10)
  const gate = makeGate()
  const begun: string[] = []

  const first = semaphore.run(10, async (resize) => {
    begun.push('first')
    await turn()
    resize(2)
    await turn()
    resize(9)
    await gate.opened
  })
  const second = semaphore.run(8, async () => void begun.push('second'))
  const third = semaphore.run(8, async () => void begun.push('third'))
  expect([semaphore.used, semaphore.waiting]).toEqual([10, 2])
  await turn()
  await turn()
  await turn()

  expect(begun.slice(0, 2)).toEqual(['first', 'second'])
  gate.open()
  await Promise.all([first, second, third])
  expect([semaphore.used, semaphore.waiting]).toEqual([0, 0])
})

test('a task that fails makes room like any other', async () => {
  const semaphore = new Semaphore(1)

  const failed = semaphore.run(1, () => Promise.reject(new Error('failed')))
  const thrown = semaphore.run(1, () => {
    throw new Error('thrown')
  })
  const next = semaphore.run(1, async () => 'ran')

  await expect(failed).rejects.toThrow('failed')
  await expect(thrown).rejects.toThrow('thrown')
  expect(await next).toBe('ran')
})

test('there is never more in use than there is, and everybody has their turn', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.record({ weight: fc.integer({ min: 0, max: 12 }), turns: fc.nat(3) }), { maxLength: 40 }),
    async (tasks) => {
      const semaphore = new Semaphore(10)
      let used = 0
      const ran = await Promise.all(
        tasks.map(({ weight, turns }) =>
          semaphore.run(weight, async () => {
            used += Math.min(weight, 10)
            expect(used).toBeLessThanOrEqual(10)
            for (let n = 0; n < turns; n++) await turn()
            used -= Math.min(weight, 10)
            return weight
          }),
        ),
      )
      expect(ran).toEqual(tasks.map(({ weight }) => weight))
    },
  )
  await fc.assert(property, { numRuns: 100 })
})
