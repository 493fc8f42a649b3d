import { expect, test } from 'vitest'
import { RequestTurns } from './request-turns.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a team begins a few requests in a turn, in their order, and others do not wait for the rest', async () => {
  const turns = new RequestTurns()
  const begun: string[] = []
  const ask = (team: string, n: number) => {
    const wait = turns.take(team)
    if (wait) void wait.then(() => begun.push(`${team}${n}`))
    else begun.push(`${team}${n}`)
  }

  for (let n = 0; n < 25; n++) ask('a', n)
  ask('b', 0)
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `a${from + n}`)
  expect(begun).toEqual([...numbers(0, 10), 'b0'])

  await turn()
  ask('a', 25)
  ask('b', 1)
  expect(begun.slice(11)).toEqual([...numbers(10, 20), 'b1'])

  await turn()
  expect(begun.slice(22)).toEqual(numbers(20, 26))
})

test('a team whose requests come one after the other never waits', async () => {
  const turns = new RequestTurns()

  for (let n = 0; n < 50; n++) {
    expect(turns.take('a')).toBe(null)
    await turn()
  }
})
