import { Problem } from './problem.ts'

/**
 * What cannot be decoded of a query is left as it was by whoever reads it: nobody has meant `%zz`, and half of a character is no text.
 * `%25zz` is decoded to the same, and meant. Parameters that nobody asked for are nobody's business.
 */
export function refuseUndecodable(url: string, query: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const suspects = names.filter((name) => typeof query[name] === 'string' && query[name].includes('%'))
  if (suspects.length === 0) return
  for (const pair of url.slice(url.indexOf('?') + 1).split('&')) {
    const equals = pair.indexOf('=')
    const name = decoded(pair.slice(0, equals))
    if (equals > 0 && name !== null && suspects.includes(name) && decoded(pair.slice(equals + 1)) === null)
      throw new Problem('validation_error', `The \`${name}\` cannot be decoded. Write a percent sign as %25.`)
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
