import { beginningOf } from '../../../ui/html-beginning.ts'
import { escapeText } from './plain-text.ts'

// The markup of a draft: p, br, b, i, u, a, ul, ol, li, blockquote, and no attribute but the address of a link. It is written anew from
// what the editor has, and from what is pasted into it, letter by letter, so nothing of untrusted html can be in it.

const SKIPPED = new Set(
  'SCRIPT STYLE HEAD TITLE META LINK TEMPLATE NOSCRIPT IFRAME OBJECT EMBED SVG MATH SELECT TEXTAREA BUTTON INPUT IMG'.split(
    ' ',
  ),
)
const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR ' +
    'LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TFOOT THEAD TR UL'
  ).split(' '),
)
const HEADINGS = /^H[1-6]$/
const ADDRESS = /^(?:https?:\/\/|mailto:|tel:)/i

/** What is in this element, as clean markup. */
function markupOf(parent: Node): string {
  let [out, words] = ['', '']
  const endWords = () => {
    out += paragraphOf(words)
    words = ''
  }
  for (const child of parent.childNodes) {
    if (!isBlock(child)) {
      words += wordsOf(child)
      continue
    }
    endWords()
    out += blockOf(child)
  }
  endWords()
  return out
}

/** Pasted html, or that of a draft, as clean markup. Read by a parser that runs and fetches nothing. */
export const cleanMarkup = (html: string) => markupOf(bodyOf(html))

/** The document of the editor as a draft has it. An empty line is a line; several spaces stay several. */
export const markupOfEditor = (html: string) =>
  cleanMarkup(
    html.replaceAll('<p></p>', '<p><br></p>').replace(/ {2,}/g, (spaces) => `${'\u00a0'.repeat(spaces.length - 1)} `),
  )

/** The other way round. */
export const editorHtml = (html: string) => cleanMarkup(html).replaceAll('<p><br></p>', '<p></p>')

const bodyOf = (html: string) => new DOMParser().parseFromString(beginningOf(html), 'text/html').body

const isElement = (node: Node): node is HTMLElement => node.nodeType === Node.ELEMENT_NODE

/** An inline element with a block inside counts as one: Google Docs wraps whole documents into a `b`. */
const isBlock = (node: Node): node is HTMLElement =>
  isElement(node) && !SKIPPED.has(node.tagName) && (BLOCKS.has(node.tagName) || [...node.childNodes].some(isBlock))

function blockOf(element: HTMLElement): string {
  const tag = element.tagName
  if (tag === 'UL' || tag === 'OL') return listOf(element)
  if (tag === 'PRE') return paragraphOf(escapeText(element.textContent).trim().replace(/\n/g, '<br>'))
  if (tag === 'TR') return paragraphOf([...element.children].map(wordsOf).join(' '))
  const inside = markupOf(element)
  if (tag === 'BLOCKQUOTE') return inside && `<blockquote>${inside}</blockquote>`
  return HEADINGS.test(tag) ? inside.replace(/<p>(.*?)<\/p>/g, '<p><b>$1</b></p>') : inside
}

function listOf(list: HTMLElement): string {
  const tag = list.tagName.toLowerCase()
  const items: string[] = []
  for (const child of list.childNodes) {
    const inside = isElement(child) && child.tagName === 'LI' ? markupOf(child) : markupOf(wrapped(child))
    // A single paragraph is the item itself; lists in a list belong to the item before them, however they were nested.
    const item = inside.replace(/^<p>(.*?)<\/p>(?=$|<[uo]l>)/s, '$1')
    if (/^<[uo]l>/.test(item) && items.length > 0) items.push(`${items.pop()}${item}`)
    else if (item) items.push(item)
  }
  return items.length > 0 ? `<${tag}>${items.map((item) => `<li>${item}</li>`).join('')}</${tag}>` : ''
}

const wrapped = (node: Node) => ({ childNodes: [node] }) as unknown as Node

/** Spaces at the ends are the parser's; a `br` at the end only makes room for the cursor, unless it is all that there is. */
function paragraphOf(words: string): string {
  const trimmed = words.replace(/^[ \n]+|[ \n]+$/g, '').replace(/(.)<br>$/s, '$1')
  return trimmed === '' ? '' : `<p>${trimmed}</p>`
}

function wordsOf(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return escapeText((node.nodeValue ?? '').replace(/[ \t\r\n\f]+/g, ' '))
  if (!isElement(node) || SKIPPED.has(node.tagName)) return ''
  if (node.tagName === 'BR') return '<br>'
  const words = [...node.childNodes].map(wordsOf).join('')
  if (words.trim() === '') return words
  const tags = stylesOf(node)
  return `${tags.map((tag) => `<${tag}>`).join('')}${words}${tags
    .map((tag) => `</${tag.split(' ')[0]}>`)
    .reverse()
    .join('')}`
}

/** What it means for the words inside: as tags, or as styles that other programs write instead. */
function stylesOf(element: HTMLElement): string[] {
  const { tagName, style } = element
  const weight = style.fontWeight
  const isBold = weight ? weight === 'bold' || Number(weight) >= 600 : /^(?:B|STRONG)$/.test(tagName)
  const isItalic = style.fontStyle ? style.fontStyle === 'italic' : /^(?:I|EM)$/.test(tagName)
  const href = tagName === 'A' ? (element.getAttribute('href') ?? '').trim() : ''
  return [
    ...(ADDRESS.test(href) ? [`a href="${escapeText(href)}"`] : []),
    ...(isBold ? ['b'] : []),
    ...(isItalic ? ['i'] : []),
    ...(tagName === 'U' ? ['u'] : []),
  ]
}

export const isLinkAddress = (text: string): boolean => ADDRESS.test(text.trim())

/** What a person writes for an address: `example.com` is one, and so is `ada@example.com`. Null: it is none. */
export function linkAddress(text: string): string | null {
  const written = text.trim()
  if (ADDRESS.test(written)) return written
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(written)) return `mailto:${written}`
  return /^[^\s@:/]+\.[^\s@:/]{2,}(?:[:/]\S*)?$/.test(written) ? `https://${written}` : null
}
