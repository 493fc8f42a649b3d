export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are ASCII too.
  return /^[\x00-\x7f]*$/.test(text)
}

/**
 * Each run of control characters as one space. What goes into a header passes through here whatever was checked before: a line
 * break that gets through is a header, or a whole message, of somebody else's choosing.
 */
export function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all control characters, as `\p{Cc}` has them, and five times as fast.
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim()
}

/** Without marks of direction, which would show a line in another order than it has. */
export const withoutDirectionMarks = (text: string): string =>
  text.replace(/[\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '')
