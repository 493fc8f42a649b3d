import { MAX_FILES, MAX_FILES_BYTES } from '../../../../../src/features/inboxes/replies/schema.ts'
import { inBytes } from '../../../ui/bytes.ts'
import { formatNumber } from '../../../ui/locale.ts'
import { texts } from '../texts.ts'

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
    if (one.size === 0) refusals.push(texts.files.empty(one.name))
    else if (count >= MAX_FILES) refusals.push(texts.files.tooMany(one.name, formatNumber(MAX_FILES)))
    else if (bytes + one.size > MAX_FILES_BYTES)
      refusals.push(texts.files.tooLarge(one.name, inBytes(one.size), inBytes(MAX_FILES_BYTES)))
    else {
      files.push(one)
      count += 1
      bytes += one.size
    }
  }
  return { files, refusals }
}
