import { Problem } from './problem.ts'

// PostgreSQL stores every Unicode text except the character zero, and UTF-8 has no lone surrogates. JSON can carry both.
const SUSPICIOUS = /\\u(?:0000|[dD][89a-fA-F])/

/** Refuses text that cannot be stored. The whole body is only walked when its source hints at such a character. */
export function refuseUnstorable(value: unknown, source?: string) {
  if (source !== undefined && !SUSPICIOUS.test(source)) return
  const open: [name: string, value: unknown][] = [['', value]]
  while (open.length > 0) {
    const [name, next] = open.pop()!
    if (typeof next === 'string' && !isStorable(next)) throw unstorable(name)
    if (typeof next !== 'object' || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      if (!isStorable(key)) throw unstorable(name)
      open.push([name ? `${name}.${key}` : key, inner])
    }
  }
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

const unstorable = (name: string) =>
  new Problem(
    'validation_error',
    `${name ? `Invalid \`${name}\` field. It` : 'The request'} contains a character that is not valid text.`,
  )
