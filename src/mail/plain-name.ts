// Invisible: controls, formats (zero-width, bidirectional), what is unassigned or private, and letters that are drawn as nothing.
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu
const WHITE_SPACE = /[\p{Z}\s]+/gu
/** Dots as names of hosts are written with, also the ones that browsers take for them. */
const DOT_IN_WORD = /(?<=[\p{L}\p{N}_-])[.\u3002\uff0e\uff61\u2024](?=[\p{L}\p{N}])/gu

/** One line of at most so many characters, all of them visible. */
export function plainLine(text: string, maxCharacters: number): string {
  const line = text.normalize('NFC').replace(WHITE_SPACE, ' ').replace(INVISIBLE, '').replace(/ +/g, ' ').trim()
  const characters = [...line]
  return characters.length > maxCharacters ? `${characters.slice(0, maxCharacters - 1).join('')}…` : line
}

/**
 * A name that an unknown person has chosen, for mail in our own: besides, nothing in it is what mail clients make a link of.
 * `https://evil.example/now` becomes `https evil[.]example/now`.
 */
export const plainName = (text: string, maxCharacters: number): string =>
  plainLine(text, maxCharacters).replaceAll('://', ' ').replace(DOT_IN_WORD, '[.]')
