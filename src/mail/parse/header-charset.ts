import { isUtf8 } from 'node:buffer'
import { isAscii } from '../ascii.ts'
import { decodeBytes } from './charset.ts'
import { encodingNamed } from './charset-names.ts'
import { withEscapedWords } from './encoded-words.ts'
import { type Utf8Reading, utf8ReadingOf } from './utf8-reading.ts'

// Nobody writes an escape by hand, so a header with one is one of those that Japanese programs wrote for a network of seven bits.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape is what it is about.
const JAPANESE_ESCAPE = /\x1b(?:\$[@B]|\$\(D|\([BIJ])/

/** Encodings with two bytes for a character, whose bytes may be UTF-8 by chance. */
const TWO_BYTE = new Set(['gbk', 'gb18030', 'big5', 'euc-kr', 'euc-jp', 'shift_jis'])

/** Two neighbouring characters of two bytes each, UTF-8 and GB 2312 (or the like) alike: 通知 is `֪ͨ` then. */
const AMBIGUOUS = /[\xc2-\xdf][\xa1-\xbf][\xc2-\xdf][\xa1-\xbf]/
const LONGER_SEQUENCE = /[\xe0-\xf4][\x80-\xbf]{2}/

/** Less of the bytes being UTF-8 than this, another encoding that the message names is believed. */
const MIN_UTF8_SHARE = 0.75
/** Of the characters that are not ASCII, in the encoding that the message names. One is always allowed: subjects are cut anywhere. */
const MAX_BROKEN_SHARE = 0.1

/** Whether a header does not say by itself, by ASCII or UTF-8 (RFC 6532), what it means: what the body is written in decides. */
export function isRaw(written: string): boolean {
  const latin1 = withEscapedWords(written)
  if (isAscii(latin1)) return JAPANESE_ESCAPE.test(latin1)
  return !isUtf8(Buffer.from(latin1, 'latin1')) || isAmbiguous(latin1)
}

const isAmbiguous = (latin1: string) => AMBIGUOUS.test(latin1) && !LONGER_SEQUENCE.test(latin1)

/** A header as it came: UTF-8, or what the sender's machine happened to use, which is most likely what the body is written in. */
export function decodeHeader(written: string, bodyCharset: string | null): string {
  const latin1 = withEscapedWords(written)
  if (JAPANESE_ESCAPE.test(latin1)) return decodeBytes(Buffer.from(latin1, 'latin1'), 'iso-2022-jp').text
  if (isAscii(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  const declared = encodingNamed(bodyCharset ?? '') ?? ''
  if (isUtf8(bytes)) {
    const text = isAmbiguous(latin1) && TWO_BYTE.has(declared) ? decodeBytes(bytes, declared).text : '\ufffd'
    return text.includes('\ufffd') ? bytes.toString() : text
  }
  const utf8 = utf8ReadingOf(bytes)
  const isOther = declared !== '' && declared !== 'utf-8'
  if (isMostlyUtf8(utf8, isOther ? MIN_UTF8_SHARE : 0.5)) return utf8.text()
  const text = isOther ? decodeBytes(bytes, declared).text : ''
  return isOther && isMostlyReadable(text) ? text : decodeBytes(bytes, 'windows-1252').text
}

const isMostlyUtf8 = ({ validBytes, brokenBytes }: Utf8Reading, share: number) =>
  validBytes > 0 && validBytes >= share * (validBytes + brokenBytes)

function isMostlyReadable(text: string): boolean {
  let [broken, others] = [0, 0]
  for (const character of text) {
    if (character === '\ufffd') broken += 1
    else if (character > '\x7f') others += 1
  }
  return broken <= Math.max(others > 0 ? 1 : 0, others * MAX_BROKEN_SHARE)
}
