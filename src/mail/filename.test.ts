import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeFilename } from './filename.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['C:\\Windows\\system.ini', 'C:_Windows_system.ini'],
  ['a\r\nBcc: b.txt', 'aBcc: b.txt'],
  ['photo\u202egpj.exe', 'photogpj.exe'],
  ['  spaces.txt ', 'spaces.txt'],
  ['👩‍🚀.txt', '👩‍🚀.txt'],
  ['', 'attachment'],
  ['..', 'attachment'],
  ['\u0000', 'attachment'],
])('%j becomes %j', (name, safe) => {
  expect(safeFilename(name)).toBe(safe)
})

test('a long name keeps its extension', () => {
  const safe = safeFilename(`${'é'.repeat(300)}.pdf`)

  expect(safe).toMatch(/^é+\.pdf$/)
  expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(255)
})

test('whatever the name, the result names a file and stays the same when it is cleaned again', () => {
  const hostile = fc.constantFrom('\u0000', '\r\n', '/', '\\', '..', '\ud800', '\u202e', ' ', '.', 'é'.repeat(130))
  const name = fc.array(fc.oneof(hostile, fc.string({ unit: 'grapheme', maxLength: 10 })), { maxLength: 20 })
  fc.assert(
    fc.property(name, (pieces) => {
      const safe = safeFilename(pieces.join(''))

      expect(safe).not.toMatch(/^$|[/\\\p{Cc}\p{Cs}]/u)
      expect(safeFilename(safe)).toBe(safe)
    }),
  )
})
