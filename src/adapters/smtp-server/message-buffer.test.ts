import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Semaphore } from '../../platform/concurrency/semaphore.ts'
import { MessageBuffer } from './message-buffer.ts'

const MEGABYTE = 1024 * 1024

test('a message is whole, whatever pieces it came in', () => {
  const property = fc.property(
    fc.array(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 9_000 })), { maxLength: 60 }),
    (sizes) => {
      const memory = new Semaphore(10 * MEGABYTE)
      const message = new MessageBuffer(memory, 10 * MEGABYTE)
      const pieces = sizes.map((size, index) => Buffer.alloc(size, index))

      for (const piece of pieces) message.add(piece)

      expect(message.whole().equals(Buffer.concat(pieces))).toBe(true)
      expect(memory.used).toBeGreaterThanOrEqual(message.whole().length)
      message.release()
      message.release()
      expect(memory.used).toBe(0)
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('a message that comes byte by byte takes little more room than its bytes', () => {
  const memory = new Semaphore(10 * MEGABYTE)
  const message = new MessageBuffer(memory, 10 * MEGABYTE)
  const byte = Buffer.from('x')

  message.add(Buffer.from('\r\n'))
  for (let n = 2; n < MEGABYTE; n++) message.add(byte)

  expect(memory.used).toBeLessThan(1.1 * MEGABYTE)
  expect(message.whole().length).toBe(MEGABYTE)
})

test('of a message that is too large nothing is kept', () => {
  const memory = new Semaphore(10 * MEGABYTE)
  const message = new MessageBuffer(memory, 100_000)

  message.add(Buffer.alloc(100_000))
  expect(message.shortcoming).toBeNull()
  message.add(Buffer.alloc(1))
  message.add(Buffer.alloc(1_000))

  expect(message.shortcoming).toBe('too large')
  expect(memory.used).toBe(0)
})

test('who finds no room keeps none either', () => {
  const memory = new Semaphore(100_000)
  const first = new MessageBuffer(memory, MEGABYTE)
  const second = new MessageBuffer(memory, MEGABYTE)

  first.add(Buffer.alloc(60_000))
  second.add(Buffer.alloc(30_000))
  second.add(Buffer.alloc(30_000))

  expect(first.shortcoming).toBeNull()
  expect(second.shortcoming).toBe('no room')
  expect(memory.used).toBe(60_000)
})

test('a part does not keep a chunk in memory that was thrown away for the rest', () => {
  const message = new MessageBuffer(new Semaphore(MEGABYTE), MEGABYTE)
  const chunk = Buffer.from(new ArrayBuffer(65_536))

  message.add(chunk.subarray(0, 5_000))

  expect(message.whole().length).toBe(5_000)
  expect(message.whole().buffer).not.toBe(chunk.buffer)
})

test('the header is measured alike in whatever pieces it comes', () => {
  const property = fc.property(
    fc.array(fc.constantFrom('a: b\r\n', ' c\r\n', '\tc\r\n', 'd\r\n', '\r\n'), { maxLength: 20 }),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
    (lines, sizes) => {
      const end = lines.indexOf('\r\n')
      const header = end < 0 ? lines : lines.slice(0, end)
      const fields = header.filter((line) => !/^[ \t]/.test(line)).length
      const bytes = header.join('').length
      const fits = (limits: { headerBytes: number; headerFields: number }) => {
        const message = new MessageBuffer(new Semaphore(MEGABYTE), MEGABYTE, limits)
        let rest = Buffer.from(lines.join(''))
        for (let n = 0; rest.length > 0; n++) {
          message.add(rest.subarray(0, sizes[n % sizes.length]!))
          rest = rest.subarray(sizes[n % sizes.length]!)
        }
        return message.shortcoming === null
      }

      // The empty line behind it counts with it.
      expect(fits({ headerBytes: bytes + 2, headerFields: fields })).toBe(true)
      if (fields > 0) expect(fits({ headerBytes: bytes + 2, headerFields: fields - 1 })).toBe(false)
      if (bytes > 0) expect(fits({ headerBytes: bytes - 1, headerFields: fields })).toBe(false)
    },
  )
  fc.assert(property, { numRuns: 300 })
})
