import { foldText } from './fold-text.ts'

/** As much as is looked through for a line. */
const BEGINNING = 20_000

/** How an email begins, for one line. */
export function snippetOf({ html, text }: { readonly html: string | null; readonly text: string | null }): string {
  const words = text?.trim() ? foldText(text.slice(0, BEGINNING)).shown : textOf((html ?? '').slice(0, BEGINNING))
  return words.replace(/\s+/g, ' ').trim().slice(0, 200)
}

function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  for (const element of body.querySelectorAll('style, script, title')) element.remove()
  return body.textContent
}
