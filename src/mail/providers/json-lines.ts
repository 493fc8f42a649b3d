/** A value of a JSON document, and the line on which it begins. */
export interface Located {
  readonly line: number
  readonly value: string | number | boolean | null | readonly Located[] | ReadonlyMap<string, Located>
}

/** What is wrong with a document, and where. */
export class JsonTrouble extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const MAX_DEPTH = 10
const TOKEN = /[ \t\r\n]*(?:([[\]{}:,])|("(?:[^"\\\r\n]|\\.)*")|(-?\d[\d.eE+-]*|true|false|null))/y

/** JSON whose values know their lines: whoever is told of a mistake in a long file wants to know where it is. */
export function parseWithLines(text: string): Located {
  let at = 0
  let line = 1

  function next(): string {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(text)
    if (!found) {
      while (/\s/.test(text[at] ?? '')) if (text[at++] === '\n') line++
      throw new JsonTrouble(line, at >= text.length ? 'it ends too early' : 'this is no JSON')
    }
    for (const character of found[0]) if (character === '\n') line++
    at = TOKEN.lastIndex
    return found[0].trimStart()
  }

  function scalar(token: string): string | number | boolean | null {
    try {
      return JSON.parse(token)
    } catch {
      throw new JsonTrouble(line, 'this is no JSON')
    }
  }

  function value(token: string, depth: number): Located {
    const begin = line
    if (depth > MAX_DEPTH) throw new JsonTrouble(line, 'it is nested too deeply')
    if (token === '[') return { line: begin, value: list(depth) }
    if (token === '{') return { line: begin, value: object(depth) }
    if (/^[\]}:,]$/.test(token)) throw new JsonTrouble(line, `\`${token}\` does not belong there`)
    return { line: begin, value: scalar(token) }
  }

  function list(depth: number): Located[] {
    const items: Located[] = []
    for (let token = next(); token !== ']'; token = next()) {
      if (items.length > 0) token = after(token)
      items.push(value(token, depth + 1))
    }
    return items
  }

  function object(depth: number): Map<string, Located> {
    const fields = new Map<string, Located>()
    for (let token = next(); token !== '}'; token = next()) {
      if (fields.size > 0) token = after(token)
      if (!token.startsWith('"')) throw new JsonTrouble(line, 'a key in quotation marks is missing')
      const key = scalar(token) as string
      if (fields.has(key)) throw new JsonTrouble(line, `\`${key}\` is there twice`)
      if (next() !== ':') throw new JsonTrouble(line, `a colon is missing after \`${key}\``)
      fields.set(key, value(next(), depth + 1))
    }
    return fields
  }

  function after(comma: string): string {
    if (comma !== ',') throw new JsonTrouble(line, 'a comma is missing')
    return next()
  }

  const root = value(next(), 0)
  if (text.slice(at).trim() !== '') throw new JsonTrouble(line, 'there is more after the end')
  return root
}
