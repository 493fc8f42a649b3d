import { featuresNamed } from './feature-names.ts'

/** In characters. */
const MAX_SELECTOR_LENGTH = 2_048

/** The features that a selector uses. Strings and brackets are looked at once and taken out, so that what is inside is nothing. */
export function featuresOfSelector(selector: string): Set<string> {
  const found = new Set<string>()
  let text = selector.slice(0, MAX_SELECTOR_LENGTH)
  text = text.replace(/"[^"]*"|'[^']*'/g, '')
  text = text.replace(/\[[^[\]]*\]/g, () => {
    found.add('css-selector-attribute')
    return ''
  })
  for (const [, name] of text.matchAll(/::?([a-z-]+)/gi))
    for (const slug of featuresNamed('pseudo', name!.toLowerCase())) found.add(slug)
  text = text.replace(/::?[a-z-]+/gi, '').replace(/\([^()]*\)/g, '')
  if (text.includes(',')) found.add('css-selector-grouping')
  for (const one of text.split(',')) {
    const trimmed = one.trim()
    if (/>/.test(trimmed)) found.add('css-selector-child')
    if (/\+/.test(trimmed)) found.add('css-selector-adjacent-sibling')
    if (/~/.test(trimmed)) found.add('css-selector-general-sibling')
    if (/[^\s>+~]\s+[^\s>+~]/.test(trimmed)) found.add('css-selector-descendant')
    if (/\.[\w-]/.test(trimmed)) found.add('css-selector-class')
    if (/\.[\w-]+\.[\w-]/.test(trimmed)) found.add('css-selector-chaining')
    if (/#[\w-]/.test(trimmed)) found.add('css-selector-id')
    if (/(?:^|[\s>+~])[a-z][\w-]*/i.test(trimmed)) found.add('css-selector-type')
    if (/(?:^|[\s>+~])\*/.test(trimmed)) found.add('css-selector-universal')
  }
  return found
}
