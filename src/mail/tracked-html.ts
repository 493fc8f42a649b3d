import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { Steps } from './steps.ts'

/** What takes the place of a message's own links, and the picture that records an open. */
export interface Tracker {
  /** Null: opens are not noticed. */
  readonly pixelUrl: string | null
  /** The address to put in the place of a link. Null: the link stays as it is. */
  linkUrl(target: string): string | null
}

/** A part of the html, and its text or the text that replaces it. */
interface TextRange {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Links that are replaced at most: signing takes 5 µs each. No real mail has so many, and those behind stay as they are. */
const MAX_LINKS = 2_000

/** A link that is longer is looked at no further. */
const MAX_LINK_LENGTH = 10_000

/**
 * Html with its links replaced and a picture at its end. Everything else stays as it is, byte for byte: what is wrong in it is
 * somebody's way around a mail program. The ranges are found by a tokenizer and not by a whole parser, because nothing here
 * depends on what is inside what, and a parser takes the square of the open tags.
 */
export function* trackHtml(html: string, { pixelUrl, linkUrl }: Tracker): Steps<string> {
  const { links, end } = yield* findRanges(html)
  const changes: TextRange[] = []
  for (const link of links) {
    const text = linkUrl(link.text)
    if (text !== null) changes.push({ ...link, text })
    yield
  }
  if (pixelUrl !== null) changes.push({ start: end, end, text: pixel(pixelUrl) })
  changes.sort((a, b) => a.start - b.start)

  const pieces: string[] = []
  let done = 0
  for (const change of changes) {
    pieces.push(html.slice(done, change.start), change.text)
    done = change.end
  }
  return pieces.join('') + html.slice(done)
}

const pixel = (url: string) => `<img src="${url}" width="1" height="1" alt="" style="border:0;margin:0;padding:0">`

/** In characters: so much is looked through in 5 ms. */
const CHUNK = 64 * 1024

const LINKING_TAGS = new Set(['a', 'area'])
const WEB = /^https?:\/\/[^/?#]/i

/**
 * The values of links to the web, as a reader's browser would see them, and where the picture goes: before the last `</body>`, or
 * at the end. Comments are not looked into, also not those that Outlook reads.
 */
function* findRanges(html: string): Steps<{ links: TextRange[]; end: number }> {
  const links: TextRange[] = []
  let end = html.length
  let isLinking = false
  let valueStart = -1
  let value = ''

  const callbacks: TokenizerCallbacks = {
    ...IGNORED,
    onopentagname(start, stop) {
      isLinking = LINKING_TAGS.has(html.slice(start, stop).toLowerCase())
    },
    onclosetag(start, stop) {
      // `start` is behind the `</`.
      if (html.slice(start, stop).toLowerCase() === 'body') end = start - 2
    },
    onattribname(start, stop) {
      const isTarget = isLinking && html.slice(start, stop).toLowerCase() === 'href'
      valueStart = isTarget ? startOfValue(html, stop) : -1
      value = ''
    },
    onattribdata(start, stop) {
      if (valueStart >= 0) value += html.slice(start, stop)
    },
    onattribentity(codePoint) {
      if (valueStart >= 0) value += String.fromCodePoint(codePoint)
    },
    onattribend(quote, stop) {
      const target = value.trim()
      if (
        links.length === MAX_LINKS ||
        value.length > MAX_LINK_LENGTH ||
        valueStart < 0 ||
        quote === QuoteType.NoValue ||
        !WEB.test(target) ||
        !URL.canParse(target)
      )
        return
      links.push({ start: valueStart, end: quote === QuoteType.Unquoted ? stop : stop - 1, text: target })
    },
  }
  const tokenizer = new Tokenizer({}, callbacks)
  for (let from = 0; from < html.length; from += CHUNK) {
    tokenizer.write(html.slice(from, from + CHUNK))
    yield
  }
  tokenizer.end()
  return { links, end }
}

const BEFORE_VALUE = /\s*=\s*["']?/y

/** The tokenizer tells where pieces of the value are, but not where an entity at its beginning is. */
function startOfValue(html: string, nameEnd: number): number {
  BEFORE_VALUE.lastIndex = nameEnd
  return BEFORE_VALUE.test(html) ? BEFORE_VALUE.lastIndex : -1
}

const nothing = () => {}

const IGNORED = {
  oncdata: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
}
