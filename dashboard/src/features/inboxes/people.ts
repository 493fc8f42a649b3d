/** `"Ada Lovelace" <ada@example.com>` in its two parts. */
export function personOf(written: string): { readonly name: string; readonly address: string } {
  const [, quoted, address] = /^\s*(.*?)\s*<([^<>]*)>\s*$/s.exec(written) ?? []
  if (address === undefined) return { name: '', address: written.trim() }
  return {
    name: quoted!
      .replace(/^"(.*)"$/s, '$1')
      .replace(/\\(.)/g, '$1')
      .trim(),
    address: address.trim(),
  }
}

/** The name of somebody, or how the address begins. */
export function shortName(written: string): string {
  const { name, address } = personOf(written)
  return name || address.replace(/@.*$/s, '') || '(nobody)'
}

/** Two letters for a round picture: of the first and the last word. */
export function initialsOf(written: string): string {
  const words = shortName(written).match(/[\p{L}\p{N}]+/gu) ?? []
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!] : words
  return letters.map((word) => [...word][0]!.toUpperCase()).join('') || '?'
}

export const TONES = ['good', 'busy', 'warn', 'bad', 'plain'] as const

/** Always the same for the same address, so that people are known again. */
export function toneOf(written: string): (typeof TONES)[number] {
  let sum = 0
  for (const character of personOf(written).address.toLowerCase()) sum = (sum * 31 + character.codePointAt(0)!) >>> 0
  // The last bits are those of the ending, which many share.
  return TONES[(sum ^ (sum >>> 11)) % TONES.length]!
}
