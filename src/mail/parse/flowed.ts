/**
 * `format=flowed` (RFC 3676): a line that ends in a space goes on in the next one. Quoted lines do so only within their depth,
 * and `-- ` is a signature, not a line that goes on.
 */
export function unflowed(text: string, isSpaceDeleted: boolean): string {
  const paragraphs: string[] = []
  let pieces: string[] = []
  let depth = 0

  for (const written of text.split('\n')) {
    const [quotes] = /^>*/.exec(written)!
    const line = written.slice(quotes.length).replace(/^ /, '')
    if (pieces.length > 0 && depth !== quotes.length) endParagraph()
    depth = quotes.length
    const isSignature = line === '-- '
    if (isSignature && pieces.length > 0) endParagraph()
    const goesOn = line.endsWith(' ') && !isSignature
    pieces.push(goesOn && isSpaceDeleted ? line.slice(0, -1) : line)
    if (!goesOn) endParagraph()
  }
  if (pieces.length > 0) endParagraph()

  function endParagraph() {
    paragraphs.push((depth > 0 ? `${'>'.repeat(depth)} ` : '') + pieces.join(''))
    pieces = []
  }
  return paragraphs.join('\n')
}
