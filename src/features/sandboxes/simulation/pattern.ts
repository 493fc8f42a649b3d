/** Tells whether a text is what was written down, where `*` stands for any text and case does not count. */
export type Pattern = (text: string) => boolean

/** By looking for one piece behind the other, and never back: a pattern with many stars takes no longer than one without. */
export function patternOf(written: string, { isPart = false } = {}): Pattern {
  const wished = written.toLowerCase()
  const pieces = (isPart ? `*${wished}*` : wished).split('*')
  const first = pieces[0]!
  if (pieces.length === 1) return (text) => text.toLowerCase() === first
  const last = pieces.at(-1)!
  const between = pieces.slice(1, -1).filter((piece) => piece !== '')
  return (given) => {
    const text = given.toLowerCase()
    if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
    const end = text.length - last.length
    let at = first.length
    for (const piece of between) {
      const found = text.indexOf(piece, at)
      if (found < 0 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}
