export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters are ASCII too.
  return /^[\x00-\x7f]*$/.test(text)
}

/**
 * Each run of control characters as one space. What goes into a header passes through here whatever was checked before: a line
 * break that gets through is a header, or a whole message, of somebody else's choosing.
 */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim()
}
