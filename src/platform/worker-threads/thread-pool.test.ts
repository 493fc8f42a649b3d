import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { makeGate } from '../../../test/harness/gate.ts'
import { ThreadPool } from './thread-pool.ts'
import { ThreadLimitReached, type ThreadTask } from './work.ts'

const folder = mkdtempSync(join(tmpdir(), 'postwren-threads-'))
const entry = join(folder, 'thread.mjs')

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, '../../../test/harness/programs/thread.ts')],
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

const start = (threads = 2) => new ThreadPool({ entry: () => entry, threads, heapMb: 32, idleMs: 1_000 })

const work = (name: string, value: unknown = null, more: Partial<ThreadTask> = {}): ThreadTask => ({
  name,
  input: () => ({ value }),
  isLight: true,
  limitMs: 30_000,
  ...more,
})

test('work is done, each with its own result', async () => {
  const pool = start()

  const results = await Promise.all(Array.from({ length: 50 }, (_, n) => pool.run(work('echo', n))))

  expect(results).toEqual(Array.from({ length: 50 }, (_, n) => n))
})

test('what fails says why, and the thread goes on', async () => {
  const pool = start()

  await expect(pool.run(work('fail'))).rejects.toThrow('no')
  expect(await pool.run(work('echo', 1))).toBe(1)
})

test('what takes too long is ended, and others do not notice', async () => {
  const pool = start()

  const end = pool.run(work('hang', null, { limitMs: 300, isLight: false })).catch((error: unknown) => error)
  expect(await pool.run(work('echo', 1))).toBe(1)

  expect(await end).toEqual(new ThreadLimitReached('took longer than 0.3 s'))
  expect(await end).toBeInstanceOf(ThreadLimitReached)
  expect(await pool.run(work('echo', 2, { isLight: false }))).toBe(2)
})

test('what takes too much memory is ended', async () => {
  const pool = start()

  await expect(pool.run(work('swell'))).rejects.toThrow('took too much memory')
  expect(await pool.run(work('echo', 1))).toBe(1)
})

test('heavy work leaves a thread to what is light', async () => {
  const pool = start()
  const heavy = Array.from({ length: 3 }, () => pool.run(work('hang', null, { limitMs: 200, isLight: false })))
  const ending = Promise.allSettled(heavy)

  expect(await pool.run(work('echo', 'light'))).toBe('light')

  const ends = await ending
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

test('what waits for an answer stands aside, and its time stands still', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const pool = start()
  const gate = makeGate()
  let asked = 0
  const answer = async (question: unknown) => {
    asked++
    await gate.opened
    return `${question}!`
  }

  const asking = Array.from({ length: 20 }, (_, n) => pool.run(work('ask', n, { answer })))
  await expect.poll(() => asked).toBe(20)
  vi.advanceTimersByTime(60_000)
  for (let n = 0; n < 20; n++) expect(await pool.run(work('echo', n))).toBe(n)
  gate.open()

  expect(await Promise.all(asking)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}!`))
})

test('several questions at once are answered in whatever order, at once or later', async () => {
  const pool = start()
  const gates = [makeGate(), makeGate(), makeGate()]
  const answer = async (question: unknown) => {
    await gates[question as number]?.opened
    return `${question}!`
  }

  const asking = pool.run(work('askTogether', [0, 1, 2, 3], { answer }))
  for (const gate of gates.toReversed()) {
    expect(await pool.run(work('echo', 1))).toBe(1)
    gate.open()
  }

  expect(await asking).toEqual(['0!', '1!', '2!', '3!'])
})

test('what stood aside where something hung begins anew', async () => {
  const pool = start()
  const gate = makeGate()
  let asked = 0
  const answer = async (question: unknown) => {
    asked++
    await gate.opened
    return question
  }

  const asking = [1, 2, 3].map((n) => pool.run(work('ask', n, { answer })))
  await expect.poll(() => asked).toBe(3)
  const hanging = [1, 2].map(() => pool.run(work('hang', null, { limitMs: 200 })))
  const ends = await Promise.allSettled(hanging)
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  gate.open()

  expect(await Promise.all(asking)).toEqual([1, 2, 3])
  expect(asked).toBeGreaterThan(3)
})

test('and is done in the end, however often others hang beside it', async () => {
  const pool = start()
  const gate = makeGate()
  const begun = Array.from({ length: 5 }, makeGate)
  let starts = 0
  const answer = async (question: unknown) => {
    begun[starts++]?.open()
    await gate.opened
    return question
  }

  const asking = pool.run(work('ask', 1, { answer }))
  for (let round = 0; round < 4; round++) {
    await begun[round]!.opened
    await Promise.allSettled([1, 2].map(() => pool.run(work('hang', null, { limitMs: 200 }))))
  }
  await begun[4]!.opened
  gate.open()

  expect(await asking).toBe(1)
})

test('an answer that is none is an error of the work', async () => {
  const pool = start()

  const asking = pool.run(work('ask', 1, { answer: () => Promise.reject(new Error('who knows')) }))

  await expect(asking).rejects.toThrow('who knows')
})
