// No part of it can match the same text in two ways, so hostile text costs no more than its length.
const PLACEHOLDER = /\{\{\{\s*([A-Za-z0-9_.]+)\s*(?:\|([^{}]*))?\}\}\}/g

/**
 * The text with `{{{NAME}}}` and `{{{NAME|fallback}}}` filled in, in one pass: a value that looks like a placeholder stays as
 * it is, for values come from strangers. What has neither value nor fallback becomes nothing, and is named in `missing`.
 */
export function fillTemplate(
  text: string,
  value: (name: string) => string | undefined,
): { text: string; missing: string[] } {
  const missing = new Set<string>()
  const filled = text.replace(PLACEHOLDER, (_, name: string, fallback: string | undefined) => {
    const known = value(name) ?? fallback?.trim()
    if (known === undefined) missing.add(name)
    return known ?? ''
  })
  return { text: filled, missing: [...missing] }
}

/** The names that the text asks for, each once, in their order. */
export function namesIn(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!))]
}
