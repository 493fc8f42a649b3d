import { MAX_TEXT_LENGTH } from './limits.ts'

// No part of it can match the same text in two ways, so hostile text costs no more than its length.
const PLACEHOLDER = /\{\{\{\s*([A-Za-z0-9_.]+)\s*(?:\|([^{}]*))?\}\}\}/g

/** What is filled in makes a text longer than it may be. */
export class TooLong extends Error {}

/**
 * The text with `{{{NAME}}}` and `{{{NAME|fallback}}}` filled in, in one pass: a value that looks like a placeholder stays as
 * it is, for values are untrusted. What has neither value nor fallback becomes nothing, and is named in `missing`.
 * Values multiply (4,400 placeholders are 31 kB, and a value has a megabyte), so the length is counted before anything is built.
 */
export function fillTemplate(
  text: string,
  value: (name: string) => string | undefined,
  longest = MAX_TEXT_LENGTH,
): { text: string; missing: string[] } {
  const missing = new Set<string>()
  const known = new Map<string, string | undefined>()
  const pieces: string[] = []
  let length = 0
  let done = 0
  for (const { 0: placeholder, 1: name, 2: fallback, index } of text.matchAll(PLACEHOLDER)) {
    if (!known.has(name!)) known.set(name!, value(name!))
    const filling = known.get(name!) ?? fallback?.trim()
    if (filling === undefined) missing.add(name!)
    pieces.push(text.slice(done, index), filling ?? '')
    length += index - done + (filling?.length ?? 0)
    done = index + placeholder.length
    if (length > longest) break
  }
  if (length + text.length - done > longest) throw new TooLong(`It would have more than ${longest} characters.`)
  if (pieces.length === 0) return { text, missing: [] }
  return { text: pieces.join('') + text.slice(done), missing: [...missing] }
}

/** A place in a text where a value goes in. */
export interface Placeholder {
  readonly name: string
  /** What goes in without a value. */
  readonly fallback: string
  readonly start: number
  readonly end: number
}

export const placeholdersIn = (text: string): Placeholder[] =>
  Array.from(text.matchAll(PLACEHOLDER), ({ 0: placeholder, 1: name, 2: fallback, index }) => ({
    name: name!,
    fallback: fallback?.trim() ?? '',
    start: index,
    end: index + placeholder.length,
  }))

/** The names that the text asks for, each once, in their order. */
export function namesIn(text: string): string[] {
  const names = new Set<string>()
  for (const [, name] of text.matchAll(PLACEHOLDER)) names.add(name!)
  return [...names]
}
