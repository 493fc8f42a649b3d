import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { writeMessage } from './write-message.ts'

/** A stream that takes what it is given when it is told to, or else at once. */
function open({ isQuick = true } = {}) {
  const taken: Buffer[] = []
  const waiting: (() => void)[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk)
      if (isQuick) done()
      else waiting.push(done)
    },
  })
  return { stream, takeOn: () => waiting.shift()?.(), text: () => Buffer.concat(taken).toString() }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a large message lets others go first, however quickly it is taken', async () => {
  const { stream, text } = open()
  const lines = 1_000_000
  let turns = 0
  let isEnded = false

  const mayEnd = () => {
    isEnded = true
    return true
  }
  writeMessage(stream, Buffer.from('.\r\n'.repeat(lines)), { mayEnd, onWithdrawn: () => {}, onSent: () => {} })
  for (; !isEnded; turns++) await turn()

  expect(turns).toBeGreaterThanOrEqual(5)
  expect(text()).toBe(`${'..\r\n'.repeat(lines)}.\r\n`)
})

test('the end of a large message is asked for when all of it was taken', async () => {
  const { stream, takeOn, text } = open({ isQuick: false })
  let asked = 0
  const message = Buffer.alloc(600_000, 'x')

  const mayEnd = () => ++asked > 0
  writeMessage(stream, message, { mayEnd, onWithdrawn: () => {}, onSent: () => {} })
  await turn()
  takeOn()
  await turn()
  await turn()
  expect(text()).toHaveLength(message.length)
  expect(asked).toBe(0)

  takeOn()
  await turn()
  await turn()
  expect(asked).toBe(1)
})

test('nothing more is written when the connection ends in the middle', async () => {
  const { stream, takeOn, text } = open({ isQuick: false })
  let asked = 0

  writeMessage(stream, Buffer.alloc(600_000, 'x'), {
    mayEnd: () => ++asked > 0,
    onWithdrawn: () => {},
    onSent: () => {},
  })
  stream.destroy()
  takeOn()
  await turn()
  await turn()

  expect(text().length).toBeLessThan(600_000)
  expect(asked).toBe(0)
})
