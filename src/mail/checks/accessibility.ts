import type { HtmlTag, HtmlVisitor } from '../html-visitor.ts'
import type { Found } from './finding.ts'

const MAX_TABLES = 10_000

/** Notes what programs that read mail aloud need: the language, a title, and which tables are none. */
export function collectAnnouncements() {
  let [hasLanguage, hasTitle, isTitle] = [false, false, false]
  let [tables, unmarked] = [0, 0]
  let firstUnmarked = 0
  /** Of the tables that are open: whether one of their cells is a heading, or says what it belongs to. */
  const open: { readonly at: number; readonly hasRole: boolean; isData: boolean }[] = []

  const endTable = () => {
    const table = open.pop()
    if (!table || table.hasRole || table.isData) return
    if (unmarked === 0 || table.at < firstUnmarked) firstUnmarked = table.at
    unmarked += 1
  }
  const visitor: HtmlVisitor = {
    open(tag) {
      hasLanguage ||=
        (tag.attributes.get('lang')?.value.trim() ?? '') !== '' && /^(?:html|body|div|table)$/.test(tag.name)
      isTitle = tag.name === 'title'
      if (tag.name === 'table' && tables < MAX_TABLES) {
        tables += 1
        open.push({ at: tag.at, hasRole: tag.attributes.has('role'), isData: false })
      }
      const innermost = open.at(-1)
      if (innermost && saysData(tag)) innermost.isData = true
    },
    close(name) {
      if (name === 'title') isTitle = false
      if (name === 'table') endTable()
    },
    text(text) {
      if (isTitle && text.trim() !== '') hasTitle = true
    },
  }
  return {
    visitor,
    found(): Found[] {
      while (open.length > 0) endTable()
      const found: Found[] = []
      if (!hasLanguage)
        found.push({
          check: 'accessibility',
          severity: 'warning',
          title: 'The HTML has no language (lang)',
          detail:
            '<html lang="en"> lets programs that read aloud choose the right voice, and hyphenation and translation work.',
        })
      if (!hasTitle)
        found.push({
          check: 'accessibility',
          severity: 'notice',
          title: 'The HTML has no title',
          detail: 'Opened in a browser or read aloud, <title> is what it is called.',
        })
      if (unmarked > 0)
        found.push({
          check: 'accessibility',
          severity: 'notice',
          title: 'Screen readers announce layout tables as data tables',
          detail: `${unmarked === 1 ? 'One has' : `${unmarked} have`} no role. role="presentation" on a table without headings says that it is none.`,
          at: firstUnmarked,
        })
      return found
    },
  }
}

const saysData = ({ name, attributes }: HtmlTag) =>
  name === 'th' || name === 'caption' || attributes.has('scope') || attributes.has('headers')
