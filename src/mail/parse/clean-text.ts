// In a regular expression that knows Unicode, Cs are only the halves of pairs that stand alone.
const UNFIT = /[\p{Cc}\p{Cs}]/u

/** One line, as a header has it: each run of control characters is a space, NUL and half characters are gone. */
export function cleanLine(text: string): string {
  if (!UNFIT.test(text)) return text.trim()
  return text
    .replace(/[\0\p{Cs}]+/gu, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

/** Several lines, ended by line feeds. */
export function cleanText(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  const whole = lines.isWellFormed() ? lines : lines.replace(/\p{Cs}+/gu, '')
  return whole.includes('\0') ? whole.replaceAll('\0', '') : whole
}
