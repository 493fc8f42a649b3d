import { expect, test } from 'vitest'
import { decodeBytes } from './charset.ts'

test.each([
  ['utf-8', 'Zoë 😀', '5a6fc3ab20f09f9880'],
  ['UTF8', 'é', 'c3a9'],
  ['windows-1252', '€“”', '809394'],
  ['cp1252', '€', '80'],
  ['ISO_8859-1:1987', 'é€', 'e980'],
  ['latin1', 'é', 'e9'],
  ['iso-8859-2', 'Łódź', 'a3f364bc'],
  ['win-1251', 'Да', 'c4e0'],
  ['x-cp1251', 'Да', 'c4e0'],
  ['koi8-r', 'Да', 'e4c1'],
  ['x-mac-cyrillic', 'Да', '84e0'],
  ['ibm866', 'Да', '84a0'],
  ['csShiftJIS', 'あ', '82a0'],
  ['windows-31j', '①', '8740'],
  ['euc_jp', 'あ', 'a4a2'],
  ['iso-2022-jp', 'あ', '1b244224221b2842'],
  ['gb2312', '你', 'c4e3'],
  ['GB18030', '😀', '9439fc36'],
  ['x-gbk', '你', 'c4e3'],
  ['big5-hkscs', '你', 'a741'],
  ['cp949', '안', 'beC8'],
  ['iso-8859-8-i', 'ש', 'f9'],
  ['tis-620', 'ส', 'ca'],
  ['unicode', 'a', '6100'],
  ['utf-16be', 'a', '0061'],
])('%s is known', (charset, text, hex) => {
  expect(decodeBytes(Buffer.from(hex, 'hex'), charset)).toEqual({ text, isKnown: true })
})

test.each(['x-unheard-of', 'constructor', '__proto__', 'utf-7', 'iso-2022-kr', 'z'.repeat(100)])(
  '%s is not, and what it says is a guess',
  (charset) => {
    expect(decodeBytes(Buffer.from('é'), charset)).toEqual({ text: 'é', isKnown: false })
    expect(decodeBytes(Buffer.from('e9', 'hex'), charset)).toEqual({ text: 'é', isKnown: false })
  },
)

test('bytes that are not of the encoding become the character for that', () => {
  expect(decodeBytes(Buffer.from('41ff42', 'hex'), 'utf-8').text).toBe('A\ufffdB')
  expect(decodeBytes(Buffer.from('3dd8', 'hex'), 'utf-16').text).toBe('\ufffd')
})
