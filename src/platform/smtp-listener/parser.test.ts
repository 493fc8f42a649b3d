import { expect, test } from 'vitest'
import { Parser } from './parser.ts'

test('a message of nothing but short lines is read in turns with everything else', async () => {
  const parser = new Parser()
  let bytes = 0
  const ended = new Promise<void>((resolve) => {
    parser.readMessage({
      add: (content) => {
        bytes += content.length
      },
      moved: () => {},
      end: () => resolve(),
    })
  })
  const lines = Buffer.from('a\r\n'.repeat(20_000))

  for (let number = 0; number < 100; number++) parser.write(lines)
  const atOnce = bytes
  parser.write('.\r\n')
  await ended

  expect(atOnce).toBeLessThan(bytes)
  expect(bytes).toBe(100 * lines.length)
})
