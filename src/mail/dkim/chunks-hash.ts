import { createHash } from 'node:crypto'

/**
 * The body hash (see `bodyHash`) of a body that is in pieces, none of them empty and each in the relaxed form already. No line end is divided, and no
 * white space in front of one is in another piece. Null: there is nothing but line ends.
 */
export function hashOfRelaxed(pieces: readonly (string | Buffer)[]): string | null {
  let last = pieces.length - 1
  while (last >= 0 && textLength(pieces[last]!) === 0) last--
  if (last < 0) return null
  const hash = createHash('sha256')
  for (const piece of pieces.slice(0, last)) update(hash, piece)
  const ending = pieces[last]!
  update(hash, ending.slice(0, textLength(ending)))
  return hash.update('\r\n').digest('base64')
}

type Hash = ReturnType<typeof createHash>

function update(hash: Hash, piece: string | Buffer) {
  if (typeof piece === 'string') hash.update(piece, 'latin1')
  else hash.update(piece)
}

/** Without the line ends at its end. */
function textLength(piece: string | Buffer): number {
  const codeAt = (at: number) => (typeof piece === 'string' ? piece.charCodeAt(at) : piece[at]!)
  let end = piece.length
  while (end > 0 && (codeAt(end - 1) === 0x0a || codeAt(end - 1) === 0x0d)) end--
  return end
}
