import { match } from '../../features/messages/index.ts'
import { roughText } from '../../mail/rough-text.ts'
import type { Clause, Query } from './query.ts'

/** The search that a query asks for, as messages are looked through for it. */
export const searchOf = ({ clauses, messageFilter }: Query) => ({ filter: messageFilter, matcher: matcherOf(clauses) })

/** What the head decides is decided by it; content is loaded for the rest. */
function matcherOf(clauses: readonly Clause[]): match.Matcher {
  const words = clauses.filter((clause) => clause.kind === 'words')
  const extents = clauses.filter((clause) => clause.kind === 'extent')
  const heads = clauses.filter((clause) => clause.kind === 'head')

  return {
    byHead(head: match.Head) {
      if (heads.some(({ fits, isExcluded }) => fits(head) === isExcluded)) return false
      const haystack = words.length === 0 ? '' : headText(head)
      const open = words.filter(({ text }) => !haystack.includes(text))
      // Found in the head is found: what must not be there is, and what must be needs no further look.
      if (words.some((clause) => clause.isExcluded && !open.includes(clause))) return false
      return open.length > 0 || extents.length > 0 ? 'words' : true
    },
    byWords(head: match.Head, { text, html }: match.Words, extent?: match.Extent) {
      if (extent && extents.some(({ fits, isExcluded }) => fits(extent) === isExcluded)) return false
      const haystack = `${words.length === 0 ? '' : headText(head)} ${match.fold([text ?? '', html === null ? '' : roughText(html)].join(' '))}`
      return words.every((clause) => haystack.includes(clause.text) !== clause.isExcluded)
    },
    isOpen: false,
    needsWords: words.length > 0,
    needsExtents: extents.length > 0,
  }
}

const headText = (head: match.Head) =>
  match.fold([head.subject, head.from, ...match.recipientsOf(head), ...head.reply_to].join(' '))
