import { decodeBytes } from './charset.ts'

const WORD_START = /=\?([^?\s]{1,60})\?([bq])\?/gi
const HEX = /=([0-9a-f]{2})/gi

interface Word {
  readonly start: number
  readonly end: number
  readonly charset: string
  readonly bytes: Buffer
}

/**
 * A header with its encoded words (RFC 2047) decoded. White space between two of them is not part of the text, and programs
 * divide characters between them, so the bytes are put together first.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  let decoded = ''
  let position = 0
  let run: Word[] = []

  const endRun = () => {
    if (run.length > 0) decoded += decodeBytes(Buffer.concat(run.map(({ bytes }) => bytes)), run[0]!.charset).text
    run = []
  }

  for (const word of wordsOf(text)) {
    const between = text.slice(position, word.start)
    const isAdjacent = run.length > 0 && between.trim() === ''
    if (!isAdjacent || run[0]!.charset !== word.charset) endRun()
    if (!isAdjacent) decoded += between
    run.push(word)
    position = word.end
  }
  endRun()
  return decoded + text.slice(position)
}

/** Where a word ends is looked for rather than matched: people leave question marks and spaces in them. */
function* wordsOf(text: string): Generator<Word> {
  WORD_START.lastIndex = 0
  for (let match = WORD_START.exec(text); match; match = WORD_START.exec(text)) {
    const contentStart = WORD_START.lastIndex
    const contentEnd = text.indexOf('?=', contentStart)
    if (contentEnd < 0) return
    const [, charset = '', encoding] = match
    const content = text.slice(contentStart, contentEnd)
    const end = contentEnd + 2
    yield {
      start: match.index,
      end,
      // RFC 2231 lets a language follow: `utf-8*en`.
      charset: charset.replace(/\*.*/, '').toLowerCase(),
      bytes: encoding === 'b' || encoding === 'B' ? Buffer.from(content, 'base64') : unescaped(content),
    }
    WORD_START.lastIndex = end
  }
}

function unescaped(content: string): Buffer {
  const bytes = Buffer.from(content.replaceAll('_', ' ')).toString('latin1')
  return Buffer.from(
    bytes.replace(HEX, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
