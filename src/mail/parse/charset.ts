import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { atOnce, type Steps } from '../steps.ts'
import { encodingNamed } from './charset-names.ts'
import { inPieces, STEP_LENGTH } from './pieces.ts'
import { eucJpOf, eucKrOf, gbkOf, OVERLINE, YEN } from './shifted.ts'
import { decodeSingleBytes } from './single-byte.ts'
import { decodeUtf7 } from './utf7.ts'

export interface Decoded {
  readonly text: string
  /** False when the name of the encoding says nothing to us and the text is a guess. */
  readonly isKnown: boolean
}

/** Bytes as text. */
export function* decodeText(bytes: Buffer, charset: string | null): Steps<Decoded> {
  const encoding = encodingNamed(charset ?? '')
  return { text: yield* decodeAs(encoding || guessed(bytes), bytes), isKnown: encoding !== null }
}

/** The same for what is short: a word of a header, a file name. */
export function decodeBytes(bytes: Buffer, charset: string | null): Decoded {
  return atOnce(decodeText(bytes, charset))
}

function guessed(bytes: Buffer): string {
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252'
}

function* decodeAs(encoding: string, bytes: Buffer): Steps<string> {
  switch (encoding) {
    case 'utf-7':
      return yield* decodeUtf7(bytes)
    case 'iso-2022-jp':
      return withRoman(yield* decodeWith('euc-jp', yield* eucJpOf(bytes)))
    case 'iso-2022-kr':
      return yield* decodeWith('euc-kr', yield* eucKrOf(bytes))
    case 'hz-gb-2312':
      return yield* decodeWith('gbk', yield* gbkOf(bytes))
    case 'utf-16le':
      return yield* decodeWith(bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : encoding, bytes)
  }
  const steps = decodeSingleBytes(encoding, bytes) ?? decodeWith(encoding, bytes)
  return yield* steps
}

function withRoman(text: string): string {
  if (!text.includes(YEN) && !text.includes(OVERLINE)) return text
  return text.split(YEN).join('¥').split(OVERLINE).join('‾')
}

// Making one takes longer than decoding something short with it. There are no more of them than encodings.
const decoders = new Map<string, TextDecoder>()

function* decodeWith(encoding: string, bytes: Buffer): Steps<string> {
  if (bytes.length <= STEP_LENGTH) return decoderFor(encoding).decode(bytes)
  const decoder = new TextDecoder(encoding)
  const pieces: string[] = []
  yield* inPieces(bytes.length, (start, end) => {
    pieces.push(decoder.decode(bytes.subarray(start, end), { stream: true }))
    return end
  })
  pieces.push(decoder.decode())
  return pieces.join('')
}

function decoderFor(encoding: string): TextDecoder {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding)
  decoders.set(encoding, decoder)
  return decoder
}
