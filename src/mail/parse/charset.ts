import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { isAscii } from '../ascii.ts'
import { encodingNamed } from './charset-names.ts'

// TextDecoder of Node 20.20 reads Windows-1252 as ISO 8859-1: quotation marks and the euro sign become control characters.
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Bytes as text. `isKnown` is false when the name of the encoding says nothing to us and the text is a guess. */
export function decodeBytes(bytes: Buffer, charset: string | null): { text: string; isKnown: boolean } {
  const encoding = encodingNamed(charset ?? '')
  return { text: decodeAs(encoding, bytes), isKnown: encoding !== null }
}

/** A header with bytes above ASCII in it: UTF-8 by RFC 6532, or what the sender's machine happened to use. */
export function decodeLatin1(text: string): string {
  return isAscii(text) ? text : guess(Buffer.from(text, 'latin1'))
}

function decodeAs(encoding: string | null, bytes: Buffer): string {
  if (encoding === null || encoding === '') return guess(bytes)
  if (encoding === 'utf-8') return withoutMark(bytes.toString('utf8'))
  if (encoding === 'windows-1252') return windows1252(bytes.toString('latin1'))
  const isBigEndian = encoding === 'utf-16le' && bytes[0] === 0xfe && bytes[1] === 0xff
  return decoderFor(isBigEndian ? 'utf-16be' : encoding).decode(bytes)
}

function guess(bytes: Buffer): string {
  return isUtf8(bytes) ? withoutMark(bytes.toString('utf8')) : windows1252(bytes.toString('latin1'))
}

function windows1252(latin1: string): string {
  return latin1.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]!)
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

// Making one takes longer than decoding with it. There are no more of them than encodings.
const decoders = new Map<string, TextDecoder>()

function decoderFor(encoding: string): TextDecoder {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding)
  decoders.set(encoding, decoder)
  return decoder
}
