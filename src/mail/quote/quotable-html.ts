import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { Steps } from '../steps.ts'

/** What carries words and their looks. Of all others only what is inside of them is kept. */
const KEPT = new Set(
  `a abbr address article aside b big blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption
  figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main mark nav ol p pre q s samp section small span strike strong
  sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`.split(/\s+/),
)
const VOID = new Set(['br', 'col', 'hr', 'img', 'wbr'])

/** What is inside of these is not for reading, or is read by rules of its own. */
const DROPPED = new Set(
  `applet audio canvas embed frameset iframe math noembed noframes noscript object plaintext script select style svg template textarea
  title video xmp`.split(/\s+/),
)

const ATTRIBUTES = new Set(
  `align alt background bgcolor border cellpadding cellspacing color colspan dir face height href lang nowrap rowspan size src start
  style title type valign value width`.split(/\s+/),
)

/** Links that a browser follows by itself would be asked for by whoever opens the answer; these are what mail has anyway. */
const LINKS: Readonly<Record<string, RegExp>> = {
  href: /^\s*(?:https?:|mailto:|tel:|#)/i,
  src: /^\s*(?:https?:|cid:|data:image\/)/i,
  background: /^\s*(?:https?:|cid:)/i,
}

/** What could lay the quotation over the answer, or run something. Escapes and entities would hide either. */
const WRONG_STYLE = /position|expression|behavior|binding|javascript|@import|[\\<>]|\/\*|&(?!(?:quot|apos|amp|#39);)/i

/** An element whose end people leave out, and what ends it. */
const BLOCKS = new Set(
  `address article aside blockquote center details div dl figure footer h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table
  ul`.split(/\s+/),
)
const ENDED_BY: Readonly<Record<string, ReadonlySet<string>>> = {
  p: BLOCKS,
  li: new Set(['li']),
  dt: new Set(['dt', 'dd']),
  dd: new Set(['dt', 'dd']),
  td: new Set(['td', 'th', 'tr', 'tbody', 'tfoot', 'thead']),
  th: new Set(['td', 'th', 'tr', 'tbody', 'tfoot', 'thead']),
  tr: new Set(['tr', 'tbody', 'tfoot', 'thead']),
}

const MAX_DEPTH = 200
/** Escapes make much of little. */
const GROWTH = 2
const MIN_OUTPUT_LENGTH = 4_096

/**
 * Html of somebody else as it may stand inside of other html: what it opens is closed, and what it closes it has opened, so it ends where
 * the quotation ends. Words, links, pictures and looks stay; styles of the page, forms and programs do not. Null: it is too strange, and
 * its text will do. A tokenizer goes through it once: a parser takes the square of the open tags.
 */
export function* quotableHtml(html: string): Steps<string | null> {
  const writer = new Writer(html, Math.max(MIN_OUTPUT_LENGTH, html.length * GROWTH))
  const tokenizer = new Tokenizer({ decodeEntities: false }, writer)
  for (let from = 0; from < html.length && !writer.isTooMuch; from += CHUNK) {
    tokenizer.write(html.slice(from, from + CHUNK))
    yield
  }
  tokenizer.end()
  return writer.finish()
}

/** In characters: the worst takes some milliseconds. */
const CHUNK = 16 * 1024

class Writer implements TokenizerCallbacks {
  readonly #html: string
  readonly #longest: number
  readonly #pieces: string[] = []
  readonly #open: string[] = []
  #length = 0
  /** Nothing more is looked at. */
  isTooMuch = false
  /** The element whose inside is left out, and how often it is open. */
  #dropped: { readonly name: string; depth: number } | null = null
  #name = ''
  #attribute = ''
  #value = ''
  #attributes = ''

  constructor(html: string, longest: number) {
    this.#html = html
    this.#longest = longest
  }

  finish(): string | null {
    this.#close(0)
    return this.isTooMuch ? null : this.#pieces.join('')
  }

  ontext(start: number, end: number) {
    if (!this.#dropped && !this.isTooMuch) this.#write(escaped(this.#html.slice(start, end)))
  }

  onopentagname(start: number, end: number) {
    this.#name = this.#html.slice(start, end).toLowerCase()
    this.#attributes = ''
  }

  onattribname(start: number, end: number) {
    this.#attribute = this.#html.slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number) {
    if (ATTRIBUTES.has(this.#attribute)) this.#value += this.#html.slice(start, end)
  }

  onattribend(quote: QuoteType) {
    const [name, value] = [this.#attribute, this.#value]
    if (!ATTRIBUTES.has(name) || (LINKS[name] && !LINKS[name].test(value))) return
    if (name === 'style' && WRONG_STYLE.test(value)) return
    this.#attributes += quote === QuoteType.NoValue ? ` ${name}` : ` ${name}="${escaped(value)}"`
  }

  onopentagend() {
    this.#begin(this.#name)
  }

  onselfclosingtag() {
    // To html the slash means nothing.
    this.#begin(this.#name)
  }

  onclosetag(start: number, end: number) {
    if (this.isTooMuch) return
    const name = this.#html.slice(start, end).toLowerCase()
    if (this.#dropped) {
      if (name === this.#dropped.name && --this.#dropped.depth === 0) this.#dropped = null
      return
    }
    const at = this.#open.lastIndexOf(name)
    if (at >= 0) this.#close(at)
  }

  #begin(name: string) {
    if (this.isTooMuch) return
    if (this.#dropped) {
      if (name === this.#dropped.name) this.#dropped.depth++
      return
    }
    if (DROPPED.has(name)) {
      if (name !== 'embed') this.#dropped = { name, depth: 1 }
      return
    }
    if (!KEPT.has(name)) return
    while (ENDED_BY[this.#open.at(-1) ?? '']?.has(name)) this.#close(this.#open.length - 1)
    this.#write(`<${name}${this.#attributes}>`)
    if (VOID.has(name)) return
    this.#open.push(name)
    if (this.#open.length > MAX_DEPTH) this.isTooMuch = true
  }

  #close(from: number) {
    for (const name of this.#open.splice(from).reverse()) this.#write(`</${name}>`)
  }

  #write(piece: string) {
    this.#length += piece.length
    if (this.#length > this.#longest) this.isTooMuch = true
    if (!this.isTooMuch) this.#pieces.push(piece)
  }

  oncdata() {}
  oncomment() {}
  ondeclaration() {}
  onprocessinginstruction() {}
  onend() {}
  onattribentity() {}
  ontextentity() {}
}

/** Entities stay as they are. */
const escaped = (text: string) => (/[<>"]/.test(text) ? text.replace(/[<>"]/g, (sign) => SIGNS[sign]!) : text)

const SIGNS: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '"': '&quot;' }
