import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BODIES_DICTIONARY } from './bodies-dictionary.ts'
import { MAX_PACKED_BYTES, packBodies, unpackBodies } from './packed-bodies.ts'

const long = (text: string) => text.repeat(Math.ceil(300 / text.length))

test.each([
  ['both', { html: long('<p>Hello, Ada</p>'), text: long('Hello, Ada') }],
  ['html alone', { html: long('<p>Hello</p>'), text: null }],
  ['text alone', { html: null, text: long('Hello') }],
  ['an empty text', { html: long('<p>Hello</p>'), text: '' }],
  ['an empty html', { html: '', text: long('Hello') }],
  ['letters of all sizes, and a byte order mark', { html: long('\ufeffäé€😀'), text: long('こんにちは\ufeff') }],
])('%s come back as they were', (_what, bodies) => {
  const packed = packBodies(bodies)!
  expect(packed.length).toBeLessThan(Buffer.byteLength(`${bodies.html ?? ''}${bodies.text ?? ''}`))
  expect(unpackBodies(packed)).toEqual(bodies)
})

test('any text comes back as it was, or is not packed', () => {
  const body = fc.option(fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.repeat(3)))
  fc.assert(
    fc.property(body, body, (html, text) => {
      const packed = packBodies({ html, text })
      if (packed) expect(unpackBodies(packed)).toEqual({ html, text })
    }),
  )
})

test('what would not become shorter is not packed', () => {
  for (const bodies of [
    { html: null, text: null },
    { html: '', text: '' },
    { html: null, text: 'Hi' },
  ])
    expect(packBodies(bodies)).toBeNull()
})

test('text that cannot be stored is not packed either', () => {
  for (const hostile of ['\ud800', '\udc00', '\0', '😀'.slice(1)]) {
    expect(packBodies({ html: long(`<p>${hostile}</p>`), text: null })).toBeNull()
    expect(packBodies({ html: null, text: long(`a ${hostile}`) })).toBeNull()
  }
})

test('the limit counts bytes of both', () => {
  const half = 'a'.repeat(MAX_PACKED_BYTES / 2)
  expect(unpackBodies(packBodies({ html: half, text: half })!)).toEqual({ html: half, text: half })
  expect(packBodies({ html: half, text: `${half}a` })).toBeNull()
  expect(packBodies({ html: `${half.slice(1)}ä`, text: half })).toBeNull()
})

test('what was packed by the first version is read for ever', () => {
  const packed = 'AQAAZgAANsOvHVxZglMRqAbNz1PILClWKE+s1FFwTEnUU4gqP7wtJ03BKb8i+/CS3IK01CKFD/NnNECciuxI8swBAA=='
  expect(unpackBodies(Buffer.from(packed, 'base64'))).toEqual({
    html: '<!doctype html><html><body><p>Your order is on its way, Ada. Zwölf Boxkämpfer 😀</p></body></html>',
    text: 'Your order is on its way, Ada. Zwölf Boxkämpfer 😀',
  })
  expect(createHash('sha256').update(BODIES_DICTIONARY).digest('hex')).toBe(
    'a30a8e983ae38c65a0308d530a7344f31138d6548b5077e30c8288c34c2330fc',
  )
})

test('what is damaged, or packed by a later version, is never shown as something else', () => {
  const packed = packBodies({ html: long('<p>Hello</p>'), text: long('Hello') })!
  expect(() => unpackBodies(Buffer.concat([Buffer.from([2]), packed.subarray(1)]))).toThrow('does not know (2)')
  expect(() => unpackBodies(Buffer.alloc(0))).toThrow('does not know')
  expect(() => unpackBodies(packed.subarray(0, -3))).toThrow()
  const longer = Buffer.from(packed)
  longer.writeUIntBE(packed.readUIntBE(1, 3) + 1, 1, 3)
  expect(() => unpackBodies(longer)).toThrow('damaged')
  const shorter = Buffer.from(packed)
  shorter.writeUIntBE(5, 1, 3)
  expect(() => unpackBodies(shorter)).toThrow()
})
