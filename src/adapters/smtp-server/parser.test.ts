import { expect, test } from 'vitest'
import { DataReader } from './data-reader.ts'
import { Parser } from './parser.ts'

test('a message of nothing but short lines is read in turns with everything else', async () => {
  const parser = new Parser({ line: () => {}, lineTooLong: () => {}, idle: () => {} })
  let bytes = 0
  const reader = new DataReader((content) => {
    bytes += content.length
  })
  const ended = new Promise<void>((resolve) => parser.readBody({ reader, moved: () => {}, end: () => resolve() }))
  const lines = Buffer.from('a\r\n'.repeat(20_000))
  let turns = 0
  let turn = setImmediate(function count() {
    turns++
    turn = setImmediate(count)
  })

  for (let number = 0; number < 100; number++) parser.write(lines)
  const atOnce = bytes
  parser.write('.\r\n')
  await ended
  clearImmediate(turn)

  expect(atOnce).toBeLessThan(bytes)
  expect(bytes).toBe(100 * lines.length)
  expect(turns).toBeGreaterThan(2)
})
