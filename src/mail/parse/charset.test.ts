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
  ['iso-2022-jp', 'あい', '1b244224221b28421b244224241b2842'],
  ['iso-2022-jp', 'あ\nA', '1b244224220a41'],
  ['iso-2022-jp', '¥‾A', '1b284a5c7e411b2842'],
  ['iso-2022-jp', '丂ｱ', '1b28491b24284430211b2849311b2842'],
  ['iso-2022-jp', '\ufffdA', '1b2442241b284241'],
  ['iso-2022-kr', '한글 A', '1b2429430e4751315b0f2041'],
  ['iso-2022-kr', '한\nGQ', '1b2429430e47510a4751'],
  ['hz-gb-2312', '己所~A\n<', '7e7b3c3a4b797e7d7e7e417e0a0a3c'],
  ['HZ', '己\n<:', '7e7b3c3a0a3c3a'],
  ['utf-7', 'Hi Mom ☺!', Buffer.from('Hi Mom +Jjo!').toString('hex')],
  ['unicode-1-1-utf-7', '日本語+', Buffer.from('+ZeVnLIqe-+-').toString('hex')],
  ['utf-7', '😀\ufffd', Buffer.from('+2D3eAA-+2D0-').toString('hex')],
  ['cp437', '░é', 'b082'],
  ['IBM850', 'ı', 'd5'],
  ['cp852', 'ů', '85'],
])('%s is known', (charset, text, hex) => {
  expect(decodeBytes(Buffer.from(hex, 'hex'), charset)).toEqual({ text, isKnown: true })
})

test.each(['x-unheard-of', 'constructor', '__proto__', 'utf-9', 'z'.repeat(100)])(
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

test('what is long is read in pieces, and characters on their edges are whole', () => {
  for (const [charset, hex] of [
    ['utf-8', 'f09f9880'],
    ['windows-1252', '80'],
    ['shift_jis', '82a0'],
    ['iso-2022-jp', '1b244224221b2842'],
    ['iso-2022-kr', '0e47510f'],
    ['hz-gb-2312', '7e7b3c3a7e7d'],
    ['utf-7', '2b4a6a6f2d'],
    ['utf-16le', '3dd800de'],
  ] as const) {
    const piece = Buffer.from(hex, 'hex')
    const { text } = decodeBytes(Buffer.alloc(piece.length * 50_001, piece), charset)

    expect(text === decodeBytes(piece, charset).text.repeat(50_001), charset).toBe(true)
  }
})
