import { isUtf8 } from 'node:buffer'
import { isAscii } from '../ascii.ts'
import { atOnce } from '../steps.ts'
import { decodeBase64 } from './base64.ts'
import { decodeBytes } from './charset.ts'
import { encodingNamed } from './charset-names.ts'

const WORD_START = /=\?([^?\s]{1,60})\?([bq])\?/gi
const HEX = /=([0-9a-f]{2})/gi

interface Word {
  readonly start: number
  readonly end: number
  readonly charset: string
  readonly isBase64: boolean
  readonly content: string
}

/**
 * A header with its encoded words (RFC 2047) decoded. White space between two of them is not part of the text, and programs
 * divide characters, switches between sets and base64 anywhere, so words of one charset are put together first.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  let decoded = ''
  let position = 0
  let run: Word[] = []

  for (const word of wordsOf(text)) {
    const between = text.slice(position, word.start)
    const isAdjacent = run.length > 0 && between.trim() === ''
    if (!isAdjacent || !isSameCharset(run[0]!.charset, word.charset)) {
      decoded += decodeRun(run)
      run = []
    }
    if (!isAdjacent) decoded += between
    run.push(word)
    position = word.end
  }
  return decoded + decodeRun(run) + text.slice(position)
}

/**
 * The same header, its bytes as characters, with words of ASCII alone: those that programs put into an encoded word as they were become
 * escapes. They are of the charset that the word names, whatever the rest of the header is written in, and UTF-8 if they are that.
 */
export function withEscapedWords(latin1: string): string {
  if (isAscii(latin1) || !latin1.includes('=?')) return latin1
  let escaped = ''
  let position = 0
  for (const { start, end, charset, isBase64, content } of wordsOf(latin1)) {
    if (isAscii(content)) continue
    // What has other bytes is no base64, whatever it calls itself.
    const bytes = isBase64 ? Buffer.from(content, 'latin1') : unescaped(content, 'latin1')
    const hex = Array.from(bytes, (byte) => `=${byte.toString(16).padStart(2, '0')}`)
    escaped += `${latin1.slice(position, start)}=?${isUtf8(bytes) ? 'utf-8' : charset}?q?${hex.join('')}?=`
    position = end
  }
  return escaped + latin1.slice(position)
}

function isSameCharset(one: string, other: string): boolean {
  return one === other || (encodingNamed(one) ?? one) === encodingNamed(other)
}

function decodeRun(run: readonly Word[]): string {
  if (run.length === 0) return ''
  const pieces: Buffer[] = []
  let base64 = ''
  for (const [i, { isBase64, content }] of run.entries()) {
    if (!isBase64) {
      pieces.push(unescaped(content))
      continue
    }
    base64 += content.replace(/\s+/g, '')
    // Four digits are three bytes. What is less and not padded goes on in the next word.
    if (run[i + 1]?.isBase64 && base64.length % 4 !== 0 && !base64.endsWith('=')) continue
    pieces.push(atOnce(decodeBase64(Buffer.from(base64, 'latin1'))))
    base64 = ''
  }
  return decodeBytes(Buffer.concat(pieces), run[0]!.charset).text
}

/** Where a word ends is looked for rather than matched: people leave question marks and spaces in them. */
function* wordsOf(text: string): Generator<Word> {
  WORD_START.lastIndex = 0
  for (let match = WORD_START.exec(text); match; match = WORD_START.exec(text)) {
    const contentStart = WORD_START.lastIndex
    const contentEnd = text.indexOf('?=', contentStart)
    if (contentEnd < 0) return
    const [, charset = '', encoding] = match
    const end = contentEnd + 2
    yield {
      start: match.index,
      end,
      // RFC 2231 lets a language follow: `utf-8*en`.
      charset: charset.replace(/\*.*/, '').toLowerCase(),
      isBase64: encoding === 'b' || encoding === 'B',
      content: text.slice(contentStart, contentEnd),
    }
    WORD_START.lastIndex = end
  }
}

function unescaped(content: string, encoding: 'utf8' | 'latin1' = 'utf8'): Buffer {
  const bytes = Buffer.from(content.replaceAll('_', ' '), encoding).toString('latin1')
  return Buffer.from(
    bytes.replace(HEX, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
