// From the markup of the editor (`rich-text.ts`) to the text of a mail and back. That markup is made by us: a few tags, all of them
// closed, and `<` only where a tag begins.

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }
const ESCAPED = new Map(Object.entries(ENTITIES).map(([name, character]) => [character, `&${name};`]))

export const escapeText = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPED.get(character)!)

const decode = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name]!).replaceAll('\u00a0', ' ')

interface Element {
  readonly tag: string
  readonly href: string
  readonly children: Part[]
}
type Part = string | Element

const TOKEN = /<(\/?)(\w+)(?:\s+href="([^"]*)")?[^>]*>|[^<]+/g

/** Tags that begin a line of their own. */
const BLOCKS = new Set(['p', 'ul', 'ol', 'li', 'blockquote'])

function parse(html: string): Part[] {
  const root: Element = { tag: '', href: '', children: [] }
  const open = [root]
  for (const [token, slash, tag, href = ''] of html.matchAll(TOKEN)) {
    const inside = open.at(-1)!
    if (tag === undefined) inside.children.push(decode(token))
    else if (slash)
      open.length = Math.max(
        1,
        open.findLastIndex((one) => one.tag === tag),
      )
    else {
      const element: Element = { tag, href: decode(href), children: [] }
      inside.children.push(element)
      if (tag !== 'br') open.push(element)
    }
  }
  return root.children
}

/** What somebody sees who reads no html: `>` before what is quoted, a sign before each item, the address behind a link. */
export const plainText = (html: string) =>
  linesOf(parse(html))
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()

/** Blocks have an empty line between them; the pieces of an item have none. */
function linesOf(parts: readonly Part[], isTight = false): string[] {
  const blocks: string[][] = []
  let words: Part[] = []
  const endWords = () => {
    if (words.length > 0) blocks.push(wordsOf(words).replace(/\n$/, '').split('\n'))
    words = []
  }
  for (const part of parts) {
    if (typeof part === 'string' || !BLOCKS.has(part.tag)) {
      words.push(part)
      continue
    }
    endWords()
    blocks.push(blockOf(part))
  }
  endWords()
  return blocks.flatMap((lines, index) => (index > 0 && !isTight ? ['', ...lines] : lines))
}

function blockOf({ tag, children }: Element): string[] {
  if (tag === 'blockquote') return linesOf(children).map((line) => `> ${line}`)
  if (tag === 'p' || tag === 'li') return linesOf(children, tag === 'li')
  const items = children.filter((part): part is Element => typeof part !== 'string')
  return items.flatMap((item, index) => {
    const sign = tag === 'ol' ? `${index + 1}. ` : '- '
    return linesOf(item.children, true).map((line, at) => (at === 0 ? sign : ' '.repeat(sign.length)) + line)
  })
}

const wordsOf = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part
      if (part.tag === 'br') return '\n'
      const words = wordsOf(part.children)
      return part.href && !isSaidBy(words, part.href) ? `${words} <${part.href}>` : words
    })
    .join('')

/** Whether the words of a link say where it leads, so that it need not be said twice. */
const isSaidBy = (words: string, address: string) => words.trim() === address.replace(/^(?:mailto|tel):/, '')

/** A text as the editor shows it: a paragraph where a line is empty, and each line of its own. */
export const markupOfText = (text: string) =>
  text.trim() === ''
    ? ''
    : text
        .replace(/\r\n?/g, '\n')
        .trim()
        .split(/\n{2,}/)
        .map((paragraph) => `<p>${paragraph.split('\n').map(escapeText).join('<br>')}</p>`)
        .join('')
