import { type Content, contentOf, type Draft, fingerprintOf } from './draft-content.ts'

/** What one editor knows of its draft. */
export interface Known {
  readonly content: Content
  /** Of what the service had when it last answered, and of what was sent since without an answer. */
  readonly fingerprint: number
  readonly unconfirmed: readonly number[]
}

/**
 * What to make of a draft that the service has in another version than expected. `ours`: its text is one that this editor wrote, and only
 * the answer was lost, or only its files changed. `theirs`: somebody else changed it, and nothing here would be lost. `both`: both
 * sides have a text that the other one does not have.
 */
export function reconcile({ content, fingerprint, unconfirmed }: Known, draft: Draft): 'ours' | 'theirs' | 'both' {
  const there = fingerprintOf(contentOf(draft))
  const here = fingerprintOf(content)
  if (there === fingerprint || there === here || unconfirmed.includes(there) || isUnwritten(draft)) return 'ours'
  return here === fingerprint ? 'theirs' : 'both'
}

/** A draft that was made and not written yet. */
const isUnwritten = ({ html, text, attachments }: Draft) => !html && !text && attachments.length === 0

/** Both texts one below the other, for everybody who was named in either. */
export const bothOf = (
  mine: Content,
  theirs: Content,
  merge: (a: readonly string[], b: readonly string[]) => string[],
) => ({
  to: merge(mine.to, theirs.to),
  cc: merge(mine.cc, theirs.cc),
  bcc: merge(mine.bcc, theirs.bcc),
  subject: mine.subject || theirs.subject,
  html: `${mine.html}<p>* * *</p>${theirs.html}`,
  tail: mine.tail ?? theirs.tail,
})
