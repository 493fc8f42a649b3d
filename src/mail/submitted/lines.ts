const LF = 0x0a

/** What SMTP carries in a line, without its end (RFC 5321, 4.5.3.1.6). Exim refuses more. */
export const MAX_LINE_LENGTH = 998

/**
 * Where the first line begins that is too long, or -1. Looks at one place in a thousand bytes: as long as there is a line end within reach
 * every line up to it is short enough.
 */
export function findLongLine(bytes: Buffer, from: number): number {
  let lineStart = from
  while (lineStart < bytes.length) {
    const reach = lineStart + MAX_LINE_LENGTH + 1
    const lineEnd = bytes.lastIndexOf(LF, reach)
    if (lineEnd < lineStart) return bytes.length - lineStart <= MAX_LINE_LENGTH ? -1 : lineStart
    lineStart = lineEnd + 1
  }
  return -1
}
