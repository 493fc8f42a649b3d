import type { HtmlTag } from '../html-visitor.ts'
import { collapsed, HIDDEN_TAGS, visitHtml } from '../html-visitor.ts'
import { atOnce, type Steps } from '../steps.ts'

export interface ExtractedLink {
  /** What people see of it; of a picture what it says instead. */
  readonly text: string
  readonly href: string
}

const MAX_LINKS = 2_000
/** A longer address is no link that anybody follows. */
const MAX_HREF_LENGTH = 10_000
const MAX_LINK_TEXT_LENGTH = 1_000

/**
 * The links of a message in order: of the html, and without one of the text. Those to the web, to mail and to telephones are in it, and
 * relative ones as they are, so that a test can find them wrong; places on the page itself and programs are not.
 */
export function extractLinks(html: string | null, text: string | null): ExtractedLink[] {
  if (html === null) return atOnce(linksOfText(text ?? ''))
  const links = collectLinks()
  atOnce(visitHtml(html, links))
  return links.found()
}

/** A megabyte of spaces would take 0.1 s to become one. */
const shownText = (text: string) => collapsed(text.slice(0, 8 * MAX_LINK_TEXT_LENGTH)).slice(0, MAX_LINK_TEXT_LENGTH)

const NO_LINK = /^(?:#|$|javascript:|vbscript:|data:)/i

export function collectLinks() {
  const links: ExtractedLink[] = []
  let open: { href: string; pieces: string[]; length: number } | null = null
  let hidden: string | null = null

  const finish = () => {
    if (open === null) return
    links.push({ text: shownText(open.pieces.join('')), href: open.href })
    open = null
  }
  const add = (text: string) => {
    if (open === null || open.length > 4 * MAX_LINK_TEXT_LENGTH) return
    const piece = text.slice(0, 4 * MAX_LINK_TEXT_LENGTH)
    open.pieces.push(piece)
    open.length += piece.length
  }
  return {
    open(tag: HtmlTag) {
      if (HIDDEN_TAGS.has(tag.name)) hidden ??= tag.name
      if (tag.name === 'img') return add(` ${tag.attributes.get('alt')?.value ?? ''} `)
      if (tag.name === 'a') finish()
      else if (tag.name !== 'area') {
        // A block or a cell inside of a link parts its words, and so does a line break.
        if (!WITHIN_WORDS.has(tag.name)) add(' ')
        return
      }
      const href = hrefOf(tag)
      if (href === null || links.length >= MAX_LINKS) return
      if (tag.name === 'area') links.push({ text: shownText(tag.attributes.get('alt')?.value ?? ''), href })
      else open = { href, pieces: [], length: 0 }
    },
    close(name: string) {
      if (name === hidden) hidden = null
      if (name === 'a') finish()
      else if (!WITHIN_WORDS.has(name)) add(' ')
    },
    text(text: string) {
      if (hidden === null) add(text)
    },
    found() {
      finish()
      return withoutCopies(links)
    },
  }
}

/** Tags that stand within a word. */
export const WITHIN_WORDS: ReadonlySet<string> = new Set(
  'abbr b bdi bdo big code del em font i ins kbd mark q s small span strike strong sub sup tt u wbr'.split(' '),
)

/** As a browser reads it: line breaks and tabs are not there. */
function hrefOf({ attributes }: HtmlTag): string | null {
  const value = attributes.get('href')?.value
  if (value === undefined || value.length > MAX_HREF_LENGTH) return null
  const href = value.replace(/[\t\r\n]/g, '').trim()
  return NO_LINK.test(href) ? null : href
}

/** Once each. A picture without words beside words with the same address is the same link. */
function withoutCopies(links: readonly ExtractedLink[]): ExtractedLink[] {
  const named = new Set(links.flatMap(({ text, href }) => (text === '' ? [] : [href])))
  const seen = new Set<string>()
  return links.filter(({ text, href }) => {
    const key = `${href}\n${text}`
    if (seen.has(key) || (text === '' && named.has(href))) return false
    seen.add(key)
    return true
  })
}

// Chinese, Japanese and Korean text follows an address without a space. Who has such letters in an address writes them encoded.
const ADDRESS =
  /(?<![\w.])(?:https?:\/\/|www\.|mailto:|tel:\+?(?=\d))[^\s<>"“”„«»‘\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff60]+/gi
const LAST = /[.,;:!?'’*_|~…·\]}]/

/** In characters of the text. */
const STEP = 10_000

/** In steps, which end with an address. What looks like one and is none counts as one: a megabyte has room for 100,000 of them. */
export function* linksOfText(text: string): Steps<ExtractedLink[]> {
  const links: ExtractedLink[] = []
  let nextStep = STEP
  let looks = 0
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    looks += 1
    if (looks > MAX_LINKS) break
    if (index >= nextStep) {
      nextStep = index + STEP
      yield
    }
    if (found.length > MAX_HREF_LENGTH) continue
    const address = withoutPunctuation(found)
    if (/^(?:https?:\/\/|www\.|mailto:|tel:\+?)$/i.test(address)) continue
    links.push({ text: address, href: /^www\./i.test(address) ? `http://${address}` : address })
  }
  return withoutCopies(links)
}

/** What belongs to the sentence around it: a full stop, the bracket that was opened before it. One of its own stays. */
function withoutPunctuation(found: string): string {
  let excess = count(found, ')') - count(found, '(')
  let end = found.length
  for (; end > 0; end -= 1) {
    const last = found[end - 1]!
    if (last === ')' && excess > 0) excess -= 1
    else if (!LAST.test(last)) break
  }
  return found.slice(0, end)
}

const count = (text: string, character: string) => text.split(character).length - 1
