/** A template of SQL in a source file. */
export interface SqlTemplate {
  /** Where its first backtick stands, and its last. */
  readonly at: number
  readonly end: number
  /** Whether it says of itself that it writes. */
  readonly isDeclared: boolean
  /** What stands in it, with `?` where something is put in: what a nested template says is not part of it. */
  readonly text: string
}

/** `for update` and `for no key update` only lock, and `do update` stands behind an insert. */
const WRITES = /\b(?:insert|merge)\s+into\b|\bdelete\s+from\b|\btruncate\s|(?<!\b(?:for|key|do)\s+)\bupdate\s/i

export const isWriting = (text: string) => WRITES.test(text)

/** All of a source, also those inside of others. */
export function sqlTemplates(source: string): SqlTemplate[] {
  const found: SqlTemplate[] = []
  for (let at = source.indexOf('`'); at >= 0; ) at = source.indexOf('`', readTemplate(source, at, found))
  return found
}

const TAG = /\bsql(\.write)?$/

/** Reads from one backtick to the other, and returns where it goes on. */
function readTemplate(source: string, at: number, found: SqlTemplate[]): number {
  let text = ''
  let index = at + 1
  while (index < source.length && source[index] !== '`') {
    if (source.startsWith('${', index)) {
      text += '?'
      index = readExpression(source, index + 2, found)
    } else if (source[index] === '\\') index += 2
    else text += source[index++]
  }
  const tag = TAG.exec(source.slice(Math.max(0, at - 10), at))
  if (tag) found.push({ at, end: index, isDeclared: tag[1] !== undefined, text })
  return index + 1
}

/** Behind the brace that ends it. */
function readExpression(source: string, from: number, found: SqlTemplate[]): number {
  let depth = 1
  for (let index = from; ; ) {
    const char = source[index]
    if (char === undefined) return index
    if (char === '`') index = readTemplate(source, index, found)
    else if (char === "'") index = source.indexOf("'", index + 1) + 1
    else {
      if (char === '{') depth++
      if (char === '}' && --depth === 0) return index + 1
      index++
    }
  }
}
