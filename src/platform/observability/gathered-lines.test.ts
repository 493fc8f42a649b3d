import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { gatheringLines } from './gathered-lines.ts'

function start() {
  const writes: string[] = []
  const lines = gatheringLines({ write: (text) => void writes.push(text) })
  const log = pino({ base: null, timestamp: false }, lines)
  const words = () => writes.map((text) => text.match(/(?<="msg":")[^"]*/g))
  return { log, lines, writes, words }
}

test('lines of one turn are one write, in their order', async () => {
  const { log, words } = start()

  log.info('one')
  log.info('two')
  expect(words()).toEqual([])
  await nextTurn()
  log.info('three')
  await nextTurn()

  expect(words()).toEqual([['one', 'two'], ['three']])
})

test('what is more than information leaves at once, behind what came before it', () => {
  const { log, words } = start()

  log.info('one')
  log.warn('two')

  expect(words()).toEqual([['one', 'two']])
})

test('what is left when the process ends is written, and nothing twice', async () => {
  const { log, lines, words } = start()

  log.info('one')
  lines.flush()
  await nextTurn()

  expect(words()).toEqual([['one']])
})

test('no write is larger than what a pipe takes in one piece, unless one line is', async () => {
  const { log, writes } = start()

  for (let line = 0; line < 100; line++) log.info('é'.repeat(200))
  log.info('x'.repeat(10_000))
  log.info('last')
  await nextTurn()

  const sizes = writes.map((text) => Buffer.byteLength(text))
  expect(sizes.filter((size) => size > 4_096)).toHaveLength(1)
  expect(writes.join('').trimEnd().split('\n')).toHaveLength(102)
  expect(writes.length).toBeLessThan(20)
})
