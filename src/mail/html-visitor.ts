import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { MAX_TEXT_LENGTH } from './limits.ts'
import type { Steps } from './steps.ts'

export interface HtmlAttribute {
  readonly value: string
  /** Where its name and its value begin in the html. */
  readonly at: number
  readonly valueAt: number
}

export interface HtmlTag {
  /** In small letters. */
  readonly name: string
  /** By name, in small letters. As in browsers the first one of a name counts. */
  readonly attributes: ReadonlyMap<string, HtmlAttribute>
  /** Where its `<` is. */
  readonly at: number
}

/** What a visitor of html is called with. */
export interface HtmlVisitor {
  open?(tag: HtmlTag): void
  close?(name: string, at: number): void
  /** Entities are decoded. What is in `style`, `script`, `title` and `textarea` comes as text, too. */
  text?(text: string, at: number): void
  comment?(text: string, at: number): void
  declaration?(text: string, at: number): void
}

/** In characters: so much is looked through in 5 ms, if it is nothing but tags and styles. */
const CHUNK = 8 * 1024

/** No real tag has so many; the rest of them is not reported. */
const MAX_ATTRIBUTES = 200

/**
 * Goes through html once, from the beginning to the end, whatever it is: a tokenizer and not a parser, because that takes the square of
 * the open tags. What is inside what is for the visitor to follow. What is longer than any mail may be is cut.
 */
export function* visitHtml(whole: string, visitor: HtmlVisitor): Steps<void> {
  const html = whole.length > MAX_TEXT_LENGTH ? whole.slice(0, MAX_TEXT_LENGTH) : whole
  let tag = { name: '', at: 0, attributes: new Map<string, HtmlAttribute>() }
  let attribute = { name: '', at: 0, valueAt: 0, value: '' }

  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      tag = { name: html.slice(start, end).toLowerCase(), at: start - 1, attributes: new Map() }
    },
    onattribname(start, end) {
      attribute = { name: html.slice(start, end).toLowerCase(), at: start, valueAt: end, value: '' }
    },
    onattribdata(start, end) {
      if (attribute.value === '') attribute.valueAt = start
      attribute.value += html.slice(start, end)
    },
    onattribentity(codePoint) {
      attribute.value += String.fromCodePoint(codePoint)
    },
    onattribend(quote) {
      const { name, at, valueAt, value } = attribute
      if (tag.attributes.size < MAX_ATTRIBUTES && !tag.attributes.has(name))
        tag.attributes.set(name, { value: quote === QuoteType.NoValue ? '' : value, at, valueAt })
    },
    onopentagend: () => visitor.open?.(tag),
    onselfclosingtag: () => visitor.open?.(tag),
    // `start` is behind the `</`.
    onclosetag: (start, end) => visitor.close?.(html.slice(start, end).toLowerCase(), start - 2),
    ontext: (start, end) => visitor.text?.(html.slice(start, end), start),
    ontextentity: (codePoint, end) => visitor.text?.(String.fromCodePoint(codePoint), end - 1),
    oncomment: (start, end, offset) => visitor.comment?.(html.slice(start, end - offset), start),
    ondeclaration: (start, end) => visitor.declaration?.(html.slice(start, end), start),
    oncdata: (start, end, offset) => visitor.text?.(html.slice(start, end - offset), start),
    onprocessinginstruction: () => {},
    onend: () => {},
  }
  const tokenizer = new Tokenizer({}, callbacks)
  for (let from = 0; from < html.length; from += CHUNK) {
    tokenizer.write(html.slice(from, from + CHUNK))
    yield
  }
  tokenizer.end()
}

/** Several visitors on one walk. */
export const together = (visitors: readonly HtmlVisitor[]): HtmlVisitor => ({
  open: (tag) => visitors.forEach((visitor) => void visitor.open?.(tag)),
  close: (name, at) => visitors.forEach((visitor) => void visitor.close?.(name, at)),
  text: (text, at) => visitors.forEach((visitor) => void visitor.text?.(text, at)),
  comment: (text, at) => visitors.forEach((visitor) => void visitor.comment?.(text, at)),
  declaration: (text, at) => visitors.forEach((visitor) => void visitor.declaration?.(text, at)),
})

/** What never has an end tag, nor anything inside. */
export const VOID_TAGS: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** What is inside of these is not for people. */
export const HIDDEN_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'title', 'template', 'head'])

/** What takes no room: soft hyphens, joiners, and the padding behind a preview line. */
export const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]|\u034f/g

/** With white space as browsers show it. */
export const collapsed = (text: string) => text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim()
