import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

/** What takes the place of a message's own links, and the picture that tells of an open. */
export interface Tracker {
  /** Null: opens are not noticed. */
  readonly pixelUrl: string | null
  /** The address to put in the place of a link. Null: the link stays as it is. */
  linkUrl(target: string): string | null
}

/** A part of the html, and what is at its place or is to be. */
interface Place {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** In characters: so much is looked through in 5 ms. */
const SLICE = 64 * 1024

/** Links that are replaced at most. Signing takes 5 µs each; no real mail has so many. */
const MOST_LINKS = 2_000

/** A link that is longer is looked at no further. */
const LONGEST_LINK = 10_000

/**
 * Html with its links replaced and a picture at its end. Everything else stays as it is, byte for byte: what is wrong in it is
 * somebody's way around a mail program. The places are found by a tokenizer and not by a whole parser, because nothing here
 * depends on what is inside what, and a parser takes the square of the open tags.
 */
export function trackHtml(html: string, tracker: Tracker): string {
  const steps = trackSteps(html, tracker)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same in steps of a few milliseconds, for a caller who has others waiting. */
export function* trackSteps(html: string, { pixelUrl, linkUrl }: Tracker): Generator<void, string> {
  const finder = new PlaceFinder(html)
  for (let at = 0; at < html.length; at += SLICE) {
    if (at > 0) yield
    finder.read(html.slice(at, at + SLICE))
  }
  const { links, end } = finder.finish()
  const changes = links.slice(0, MOST_LINKS).flatMap((link): Place[] => {
    const text = linkUrl(link.text)
    return text === null ? [] : [{ ...link, text }]
  })
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

const LINKING_TAGS = new Set(['a', 'area'])
const WEB = /^https?:\/\/[^/?#]/i

/**
 * The values of links to the web, as a reader's browser would see them, and where the picture goes: before the last `</body>`, or
 * at the end. Comments are not looked into, also not those that Outlook reads.
 */
class PlaceFinder {
  readonly #html: string
  readonly #links: Place[] = []
  readonly #tokenizer: Tokenizer
  #end: number
  #isLinking = false
  #valueStart = -1
  #value = ''

  constructor(html: string) {
    this.#html = html
    this.#end = html.length
    this.#tokenizer = new Tokenizer({}, this.#callbacks())
  }

  read(slice: string) {
    this.#tokenizer.write(slice)
  }

  finish(): { links: readonly Place[]; end: number } {
    this.#tokenizer.end()
    return { links: this.#links, end: this.#end }
  }

  #callbacks(): TokenizerCallbacks {
    const html = this.#html
    return {
      ...IGNORED,
      onopentagname: (start, stop) => {
        this.#isLinking = LINKING_TAGS.has(html.slice(start, stop).toLowerCase())
      },
      onclosetag: (start, stop) => {
        // `start` is behind the `</`.
        if (html.slice(start, stop).toLowerCase() === 'body') this.#end = start - 2
      },
      onattribname: (start, stop) => {
        const isTarget = this.#isLinking && html.slice(start, stop).toLowerCase() === 'href'
        this.#valueStart = isTarget ? startOfValue(html, stop) : -1
        this.#value = ''
      },
      onattribdata: (start, stop) => {
        if (this.#valueStart >= 0) this.#value += html.slice(start, stop)
      },
      onattribentity: (codePoint) => {
        if (this.#valueStart >= 0) this.#value += String.fromCodePoint(codePoint)
      },
      onattribend: (quote, stop) => {
        if (this.#value.length > LONGEST_LINK) return
        const target = this.#value.trim()
        if (this.#valueStart < 0 || quote === QuoteType.NoValue || !WEB.test(target) || !URL.canParse(target)) return
        const end = quote === QuoteType.Unquoted ? stop : stop - 1
        this.#links.push({ start: this.#valueStart, end, text: target })
      },
    }
  }
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
