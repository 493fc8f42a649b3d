import { compile, type FormatCallback } from 'html-to-text'
import { lazy } from './lazy.ts'
import { MAX_TEXT_LENGTH } from './limits.ts'

// Converting hostile html takes the square of its tags (1 MB of `<div>`: 66 s), and writes every line anew for each list or
// quotation around it (1 MB of `<pre>` in 250 quotations: 105 s and 247 MB), every word for each link. All of it is one step, in
// which nobody else is served: with these bounds the worst of 22 kinds, 1 MB each, takes 50 ms. The text of a real mail ends
// before them; pictures inside the html do not count.
const MAX_HTML_LENGTH = 262_144
const MAX_TAGS = 5_000
const MAX_DEPTH = 100
const MAX_LIST_DEPTH = 8

const converter = lazy(() =>
  compile({
    wordwrap: false,
    limits: { maxInputLength: MAX_HTML_LENGTH, maxDepth: MAX_DEPTH, ellipsis: '…' },
    formatters: {
      link: unlessDeep({ format: 'anchor', within: ['a'], deepest: 0, otherwise: 'inline' }),
      quotation: unlessDeep({ format: 'blockquote', ...inLists() }),
      numbered: unlessDeep({ format: 'orderedList', ...inLists() }),
      bulleted: unlessDeep({ format: 'unorderedList', ...inLists() }),
    },
    selectors: [
      // Angle brackets are what programs that make links clickable know as the end of one (RFC 3986, appendix C).
      { selector: 'a', format: 'link', options: { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true } },
      { selector: 'blockquote', format: 'quotation' },
      { selector: 'ol', format: 'numbered' },
      { selector: 'ul', format: 'bulleted' },
      // Most tables of a mail are its layout: a row is a line, and cells must not grow together.
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
      // `data-skip-in-text` is how React Email marks the preview line and its padding.
      ...['img', 'title', '[data-skip-in-text="true"]'].map((selector) => ({ selector, format: 'skip' })),
      // Capitals are for shouting, and change words in some languages.
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  }),
)

/** The text part for a mail that came as html only. */
export function textOf(html: string): string {
  const lines = converter()(bounded(html)).split('\n')
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}

const PICTURE = /data:image\/[^"'\s)<>]{256,}/gi

/** The html up to where it has more of what costs time than any real mail: tags, and lines where they are kept. */
function bounded(html: string): string {
  const short = html.slice(0, MAX_TEXT_LENGTH).replace(PICTURE, '').slice(0, MAX_HTML_LENGTH)
  const costly = /<pre/i.test(short) ? /<[a-z/]|\n/gi : /<[a-z/]/gi
  let count = 0
  for (const { index } of short.matchAll(costly)) {
    count += 1
    if (count > MAX_TAGS) return `${short.slice(0, index)}…`
  }
  return short
}

function inLists() {
  return { within: ['blockquote', 'ol', 'ul'], deepest: MAX_LIST_DEPTH, otherwise: 'block' }
}

function unlessDeep(rule: { format: string; within: string[]; deepest: number; otherwise: string }): FormatCallback {
  return (element, walk, builder, options) => {
    let depth = 0
    for (let above = element.parent; above; above = above.parent) if (rule.within.includes(above.name ?? '')) depth += 1
    builder.options.formatters![depth <= rule.deepest ? rule.format : rule.otherwise]!(element, walk, builder, options)
  }
}
