import type { Steps } from '../steps.ts'
import { CR, LF } from './bytes.ts'
import { inPieces } from './pieces.ts'

// Encodings that say many characters with seven bits, by switching between sets. TextDecoder knows two of the three not at all, and
// reads an error where ISO-2022-JP switches twice in a row, as encoded words do. Each is one that has eight bits, in disguise.

const SO = 0x0e
const SI = 0x0f
const ESCAPE = 0x1b
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const TILDE = 0x7e
const HIGH = 0x80
const KANA_PREFIX = 0x8e
const SUPPLEMENT_PREFIX = 0x8f
/** In none of the encodings with eight bits the beginning of anything. */
const UNREADABLE = 0xff

type JapaneseSet = 'ascii' | 'roman' | 'kana' | 'kanji' | 'supplement'

const JAPANESE_ESCAPES = Object.entries({
  $B: 'kanji',
  '(B': 'ascii',
  '$@': 'kanji',
  '(J': 'roman',
  '(H': 'roman',
  '(I': 'kana',
  '$(D': 'supplement',
  '$(@': 'kanji',
  '$(B': 'kanji',
} as const).map(([sequence, set]) => ({ set, codes: Buffer.from(sequence) }))

/** What the two characters in which JIS-Roman is not ASCII are in the EUC: nothing that is left in a text without escapes. */
export const YEN = '\x1b'
export const OVERLINE = '\x0e'

/** ISO-2022-JP (RFC 1468, and JIS X 0201 and 0212 as in its descendants) as EUC-JP. */
export function* eucJpOf(bytes: Buffer): Steps<Buffer> {
  const euc = new EightBits(bytes.length * 2)
  let set: JapaneseSet = 'ascii'
  function read(start: number, end: number): number {
    let i = start
    for (; i < end; i += 1) {
      const byte = bytes[i]!
      if (byte === ESCAPE) {
        const found = escapeAt(bytes, i + 1)
        set = found?.set ?? set
        i += found?.length ?? 0
      } else if (byte === SO || byte === SI) {
        set = byte === SO ? 'kana' : 'ascii'
      } else if (set === 'ascii' || !isGraphic(byte)) {
        if (byte === LF) set = 'ascii'
        euc.add(byte)
      } else if (set === 'roman') {
        euc.add(byte === BACKSLASH ? ESCAPE : byte === TILDE ? SO : byte)
      } else if (set === 'kana') {
        euc.add(KANA_PREFIX)
        euc.add(byte | HIGH)
      } else if (isGraphic(bytes[i + 1])) {
        if (set === 'supplement') euc.add(SUPPLEMENT_PREFIX)
        euc.addPair(byte, bytes[++i]!)
      } else {
        euc.add(UNREADABLE)
      }
    }
    return i
  }
  yield* inPieces(bytes.length, read)
  return euc.bytes()
}

/** Byte by byte: a text of nothing but escapes has five million of them. */
function escapeAt(bytes: Buffer, start: number): { readonly set: JapaneseSet; readonly length: number } | null {
  for (const { set, codes } of JAPANESE_ESCAPES) {
    let length = 0
    while (length < codes.length && bytes[start + length] === codes[length]) length += 1
    if (length === codes.length) return { set, length }
  }
  return null
}

/** ISO-2022-KR (RFC 1557) as EUC-KR: SO begins Korean, SI and the end of a line end it. */
export function* eucKrOf(bytes: Buffer): Steps<Buffer> {
  const euc = new EightBits(bytes.length)
  let isKorean = false
  function read(start: number, end: number): number {
    let i = start
    for (; i < end; i += 1) {
      const byte = bytes[i]!
      if (byte === SO || byte === SI) {
        isKorean = byte === SO
      } else if (byte === ESCAPE) {
        if (bytes[i + 1] === 0x24 && bytes[i + 2] === 0x29 && bytes[i + 3] === 0x43) i += 3
      } else if (isKorean && isGraphic(byte)) {
        if (isGraphic(bytes[i + 1])) euc.addPair(byte, bytes[++i]!)
        else euc.add(UNREADABLE)
      } else {
        if (byte === LF) isKorean = false
        euc.add(byte)
      }
    }
    return i
  }
  yield* inPieces(bytes.length, read)
  return euc.bytes()
}

/** HZ-GB-2312 (RFC 1843) as GBK: `~{` begins Chinese, `~}` and the end of a line end it; `~~` is a tilde, `~` joins lines. */
export function* gbkOf(bytes: Buffer): Steps<Buffer> {
  const gbk = new EightBits(bytes.length)
  let isChinese = false
  function read(start: number, end: number): number {
    let i = start
    for (; i < end; i += 1) {
      const byte = bytes[i]!
      const next = bytes[i + 1]
      if (byte === TILDE && (next === OPEN || next === CLOSE || next === TILDE || next === LF || next === CR)) {
        i += 1
        isChinese = next === OPEN || (isChinese && next !== CLOSE)
        if (next === TILDE) gbk.add(TILDE)
        if (next === CR && bytes[i + 1] === LF) i += 1
      } else if (isChinese && isGraphic(byte)) {
        if (isGraphic(next)) gbk.addPair(byte, bytes[++i]!)
        else gbk.add(UNREADABLE)
      } else {
        if (byte === LF) isChinese = false
        gbk.add(byte)
      }
    }
    return i
  }
  yield* inPieces(bytes.length, read)
  return gbk.bytes()
}

function isGraphic(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f
}

class EightBits {
  private readonly buffer: Buffer
  private length = 0

  constructor(maxBytes: number) {
    this.buffer = Buffer.allocUnsafe(maxBytes)
  }

  add(byte: number): void {
    this.buffer[this.length++] = byte
  }

  addPair(lead: number, trail: number): void {
    this.add(lead | HIGH)
    this.add(trail | HIGH)
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length)
  }
}
