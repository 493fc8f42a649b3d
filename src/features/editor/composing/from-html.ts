import { DOMParser } from '@tiptap/pm/model'
import { type Document, type Element, Window } from 'happy-dom'
import { placeholdersIn } from '../../../mail/templates.ts'
import { type DocumentNode, isSafeUrl, readDocument, schema } from './document.ts'
import { DocumentRefusal } from './refusal.ts'

// Html becomes a document by the rules of the nodes. What mail clients need, tables for layout for instance, is turned back before into what it was
// made from, so that what was composed here or by React Email comes back as blocks.

/** Nothing in it is run or loaded. */
const window = new Window({
  settings: {
    disableJavaScriptEvaluation: true,
    disableJavaScriptFileLoading: true,
    disableCSSFileLoading: true,
    disableIframePageLoading: true,
    disableComputedStyleRendering: true,
  },
})

// What the rules of some nodes ask for by these names.
Object.assign(globalThis, { document: window.document, Node: window.Node })

const FORBIDDEN =
  'script,iframe,object,embed,meta,base,link,title,noscript,template,svg,math,form,input,select,textarea'

/** A document with all the text of this html, and as much of its form as blocks have. */
export function documentFromHtml(html: string): Readonly<Record<string, unknown>> {
  const page = new window.DOMParser().parseFromString(html, 'text/html')
  try {
    for (const element of page.querySelectorAll(FORBIDDEN)) element.remove()
    const isMinimal = MINIMAL.test(html)
    const css = takeStyles(page)
    const preview = takePreview(page)
    for (const step of [dropUnsafeUrls, unwrapBody, markButtons, markImages, markColumns, markSections, markVariables])
      step(page)
    const parsed = withoutDoubleLines(
      DOMParser.fromSchema(schema)
        .parse(page.body as never)
        .toJSON(),
    )
    const data = { ...(isMinimal && { theme: 'minimal' }), ...(css && { css }), ...(preview && { preview }) }
    const global = Object.keys(data).length > 0 ? [{ type: 'globalContent', attrs: { data } }] : []
    return readDocument({ ...parsed, content: [...global, ...(parsed.content ?? [])] }).toJSON()
  } catch (error) {
    // One that is too deep for the parser.
    if (error instanceof RangeError) throw new DocumentRefusal('The HTML is nested too deeply.')
    throw error
  }
}

/** A link that is underlined by its style is not underlined text besides. */
function withoutDoubleLines(node: DocumentNode): DocumentNode {
  const { content, marks = [] } = node
  const isUnderlined = marks.some(({ type, attrs }) => type === 'link' && /underline/.test(String(attrs?.style)))
  return {
    ...node,
    ...(content && { content: content.map(withoutDoubleLines) }),
    ...(isUnderlined && { marks: marks.filter(({ type }) => type !== 'underline') }),
  }
}

/** Text without html: a line is a paragraph. */
export function documentFromText(text: string): Readonly<Record<string, unknown>> {
  const body = text
    .split('\n')
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('')
  return documentFromHtml(body)
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

/** How the container of the other theme is composed. */
const MINIMAL = /style="max-width:[^"]*;align:left;/

/** What React Email adds to every mail, or the editor. */
const OWN_CSS = /^\s*@media \(prefers-color-scheme: dark\)\s*\{\s*li::marker\s*\{\s*color:\s*#c4c4c4;?\s*\}\s*\}\s*$/

function takeStyles(page: Document): string {
  const styles = [...page.querySelectorAll('style')]
  for (const style of styles) style.remove()
  return styles
    .map(({ textContent }) => textContent)
    .filter((css) => !OWN_CSS.test(css))
    .join('\n')
    .trim()
}

/** The line that inboxes show beside the subject, hidden in the mail. Blanks follow it. */
function takePreview(page: Document): string {
  const element = page.querySelector('div[data-skip-in-text="true"], span.preheader')
  if (!element) return ''
  const own = [...element.childNodes].filter(({ nodeType }) => nodeType === window.Node.TEXT_NODE)
  element.remove()
  return own
    .map(({ textContent }) => textContent ?? '')
    .join('')
    .replace(/(?:\u00a0|\u034f|[\u200b-\u200f]|\ufeff)+/g, ' ')
    .trim()
}

function dropUnsafeUrls(page: Document) {
  for (const name of ['href', 'src'])
    for (const element of page.querySelectorAll(`[${name}]`))
      if (!isSafeUrl(element.getAttribute(name)!)) element.removeAttribute(name)
}

const isLayout = (table: Element) => table.getAttribute('role') === 'presentation'

/** The cells of a table for layout with one row. */
function cellsOf(table: Element): Element[] {
  const body = table.children.length === 1 && table.children[0]!.tagName === 'TBODY' ? table.children[0]! : table
  const rows = [...body.children]
  if (rows.length !== 1 || rows[0]!.tagName !== 'TR') return []
  const cells = [...rows[0]!.children]
  return cells.every(({ tagName }) => tagName === 'TD') ? cells : []
}

/** `Body` of React Email is a table around everything, with one cell. */
function unwrapBody(page: Document) {
  const [only, ...others] = [...page.body.children]
  if (!only || others.length > 0 || only.tagName !== 'TABLE' || !isLayout(only)) return
  const [cell, ...more] = cellsOf(only)
  if (!cell || more.length > 0 || /max-width/.test(only.getAttribute('style') ?? '')) return
  only.replaceWith(...cell.childNodes)
}

const isButton = (link: Element) => {
  const style = link.getAttribute('style') ?? ''
  const isFilled = /background|border:/.test(style) && /padding/.test(style)
  return /display:\s*inline-block/.test(style) && (isFilled || link.classList.contains('button'))
}

/** Links that look like buttons. The row around one only says where it is. */
function markButtons(page: Document) {
  for (const link of page.querySelectorAll('a[href]')) {
    if (!isButton(link) || link.querySelector('img')) continue
    link.setAttribute('data-id', 'react-email-button')
    link.removeAttribute('target')
    // Spaces for Outlook, in comments.
    for (const span of link.querySelectorAll('span')) span.replaceWith(...span.childNodes)
    const cell = link.parentElement
    const table = cell?.closest('table')
    const align = cell?.getAttribute('align')
    if (align) link.setAttribute('alignment', align)
    if (cell?.tagName === 'TD' && cell.children.length === 1 && table && isLayout(table) && cellsOf(table).length === 1)
      table.replaceWith(link)
  }
}

/** A picture has its link and its place in the mail itself. */
function markImages(page: Document) {
  for (const image of page.querySelectorAll('img[src]')) {
    const style = image.getAttribute('style') ?? ''
    const isPushed = /margin-left:\s*auto/.test(style)
    const isCentered = isPushed && /margin-right:\s*auto/.test(style)
    const around = image.closest('td[align], center, [style*="text-align"]')
    const align = around?.getAttribute('align') ?? /text-align:\s*(\w+)/.exec(around?.getAttribute('style') ?? '')?.[1]
    const place = isCentered
      ? 'center'
      : isPushed
        ? 'right'
        : around?.tagName === 'CENTER'
          ? 'center'
          : (align ?? 'left')
    image.setAttribute('alignment', place)
    const link = image.parentElement
    if (link?.tagName !== 'A' || link.childNodes.length !== 1) continue
    const href = link.getAttribute('href')
    if (href) image.setAttribute('href', href)
    link.replaceWith(image)
  }
}

const COLUMNS: Readonly<Record<number, string>> = { 2: 'two-columns', 3: 'three-columns', 4: 'four-columns' }

/** From the inside out: what is inside of a column is as it will be when the column moves. */
const innermostFirst = (page: Document) => [...page.querySelectorAll('table')].reverse().filter(isLayout)

/** `Row` with two to four `Column`s. Tables of the editor have no width of their own. */
function markColumns(page: Document) {
  for (const table of innermostFirst(page)) {
    const cells = cellsOf(table)
    const type = COLUMNS[cells.length]
    if (!type || table.getAttribute('width') !== '100%') continue
    if (!cells.every((cell) => cell.getAttribute('data-id') === '__react-email-column')) continue
    const columns = cells.map((cell) => boxOf(cell, 'div', 'column'))
    const row = boxOf(table, 'div', type)
    row.replaceChildren(...columns)
    table.replaceWith(row)
  }
}

/** `Section`: one cell, and no width that would make it the container. */
function markSections(page: Document) {
  for (const table of innermostFirst(page)) {
    const [cell, ...others] = cellsOf(table)
    if (!cell || others.length > 0 || /max-width/.test(table.getAttribute('style') ?? '')) continue
    const section = boxOf(table, 'section', 'section')
    const padding = cell.getAttribute('style')
    if (padding) section.setAttribute('style', [table.getAttribute('style'), padding].filter(Boolean).join(';'))
    section.replaceChildren(...cell.childNodes)
    table.replaceWith(section)
  }
}

function boxOf(from: Element, tag: string, type: string): Element {
  const box = from.ownerDocument.createElement(tag)
  box.setAttribute('data-type', type)
  for (const name of ['style', 'class', 'align']) {
    const value = from.getAttribute(name)
    if (value && !(name === 'align' && type !== 'section')) box.setAttribute(name, value)
  }
  if (from.tagName === 'TD') box.append(...from.childNodes)
  return box
}

/** `{{{NAME|fallback}}}` between tags. In addresses it stays as it is. */
function markVariables(page: Document) {
  const walker = page.createTreeWalker(page.body, 4)
  const texts: { textContent: string | null; parentElement: unknown; replaceWith(...nodes: unknown[]): void }[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as never)
  for (const node of texts) {
    const text = node.textContent ?? ''
    if (!text.includes('{{{') || (node.parentElement as Element | null)?.closest('pre, code')) continue
    const pieces: unknown[] = []
    let done = 0
    for (const { name, fallback, start, end } of placeholdersIn(text)) {
      const variable = page.createElement('span')
      variable.setAttribute('data-variable', name)
      if (fallback) variable.setAttribute('data-fallback', fallback)
      pieces.push(text.slice(done, start), variable)
      done = end
    }
    if (pieces.length > 0) node.replaceWith(...pieces.filter((piece) => piece !== ''), text.slice(done))
  }
}
