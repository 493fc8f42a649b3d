const MAX_SHOWN_CHARACTERS = 60
const ADDRESS = /([^\s@<>"',;:()]{1,64})@([^\s@<>"',;:()]+)/g

/** For people to read in a report: short, on one line, addresses of people unreadable. */
export function shortened(value: unknown): string {
  if (value === undefined) return '(absent)'
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return cut(masked(text))
}

/** `ada@example.com` becomes `a…@example.com`. */
const masked = (text: string) =>
  text
    .slice(0, 2_000)
    .replace(ADDRESS, (_all, name: string, domain: string) => `${name[0]}…@${domain}`)
    .replace(/\p{C}+/gu, ' ')

function cut(text: string) {
  const characters = [...text]
  return characters.length <= MAX_SHOWN_CHARACTERS ? text : `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`
}

const SHOWN_BEFORE = 12

/** Two texts, each from shortly before the character at which they part. */
export function shortenedTexts(theirs: string, ours: string): { theirs: string; ours: string } {
  if (theirs.length <= MAX_SHOWN_CHARACTERS && ours.length <= MAX_SHOWN_CHARACTERS)
    return { theirs: shortened(theirs), ours: shortened(ours) }
  let at = 0
  while (at < theirs.length && at < ours.length && theirs[at] === ours[at]) at++
  const from = (text: string) =>
    shortened(`${at > SHOWN_BEFORE ? '…' : ''}${text.slice(Math.max(0, at - SHOWN_BEFORE))}`)
  const where = (text: string) => `at ${at} of ${text.length}: ${from(text)}`
  return { theirs: where(theirs), ours: where(ours) }
}
