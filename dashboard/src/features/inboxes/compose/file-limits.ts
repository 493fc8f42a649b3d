import { MOST_FILE_BYTES, MOST_FILES } from '../../../../../src/features/inboxes/replies/schema.ts'
import { inBytes } from '../../../ui/bytes.ts'

interface Sized {
  readonly name: string
  readonly size: number
}

/** Which of the files there is room for, and of the others why there is none. */
export function fitting<One extends Sized>(
  present: readonly { readonly size: number }[],
  added: readonly One[],
): { readonly files: readonly One[]; readonly refusals: readonly string[] } {
  const files: One[] = []
  const refusals: string[] = []
  let count = present.length
  let bytes = present.reduce((sum, { size }) => sum + size, 0)
  for (const one of added) {
    if (one.size === 0) refusals.push(`“${one.name}” is empty.`)
    else if (count >= MOST_FILES) refusals.push(`“${one.name}” is one too many: an email takes ${MOST_FILES} files.`)
    else if (bytes + one.size > MOST_FILE_BYTES)
      refusals.push(
        `“${one.name}” (${inBytes(one.size)}) is too large: all files together may have ${inBytes(MOST_FILE_BYTES)}.`,
      )
    else {
      files.push(one)
      count += 1
      bytes += one.size
    }
  }
  return { files, refusals }
}
