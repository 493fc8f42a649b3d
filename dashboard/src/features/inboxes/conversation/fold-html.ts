import { beginningOf } from '../../../ui/html-beginning.ts'

/** How mail programs mark what they quote: Gmail and those who learned from it, Apple Mail and Thunderbird, Yahoo, Proton. */
const QUOTE =
  '.gmail_quote, .gmail_quote_container, blockquote[type="cite"], .yahoo_quoted, .protonmail_quote, .moz-cite-prefix, #reply-intro'
/** Outlook marks where it begins, and everything behind it is quoted. */
const REST = '#appendonsend, #divRplyFwdMsg, #mail-editor-reference-message-container'

/**
 * The html without what it quotes at its end; null when nothing is quoted, or when nothing else would be left. Read by a parser that runs
 * and fetches nothing, and cleaned afterwards like all untrusted html.
 */
export function withoutQuote(html: string): string | null {
  if (
    !/gmail_quote|type=["']?cite|yahoo_quoted|protonmail_quote|moz-cite|reply-intro|appendonsend|divRplyFwdMsg|editor-reference/i.test(
      html,
    )
  )
    return null
  const page = new DOMParser().parseFromString(beginningOf(html), 'text/html')
  const marks = [...page.body.querySelectorAll(`${QUOTE}, ${REST}`)].filter((one) => !one.parentElement?.closest(QUOTE))
  const first = marks[0]
  if (!first) return null
  if (first.matches(REST)) removeFrom(first)
  else for (const mark of marks) if (!hasWordsBehind(mark, page.body)) mark.remove()
  return page.body.textContent.trim() === '' && !page.body.querySelector('img') ? null : page.documentElement.outerHTML
}

/** It and everything behind it. */
function removeFrom(element: Element) {
  for (let at: Node = element; at.parentNode && at.nodeName !== 'BODY'; at = at.parentNode)
    while (at.nextSibling) at.nextSibling.remove()
  element.remove()
}

/** Whoever answers between the lines has words behind the quotation: then it stays. */
function hasWordsBehind(element: Element, body: Element): boolean {
  for (let at: Node = element; at !== body && at.parentNode; at = at.parentNode)
    for (let next = at.nextSibling; next; next = next.nextSibling)
      if (next.textContent?.trim() && !(next instanceof Element && next.matches(QUOTE))) return true
  return false
}
