import { Problem } from '../../../kernel/http/problem.ts'
import { MOST_FILE_BYTES, MOST_FILES } from './schema.ts'

export const refusedFile = (message: string) => new Problem('invalid_attachment', message)

/** Whether files of such sizes can be part of one email. Pictures that its html shows are not counted, and weigh the same. */
export function refuseTooMuch(sizes: readonly number[], shown = 0) {
  if (sizes.length - shown > MOST_FILES) throw refusedFile(`There can be ${MOST_FILES} attachments.`)
  if (sizes.reduce((sum, size) => sum + size, 0) > MOST_FILE_BYTES)
    throw refusedFile(`All attachments together must be at most ${MOST_FILE_BYTES / (1024 * 1024)} MB.`)
}

/** The same for those that a request brings, of which none may be empty: that is what a failed upload looks like. */
export function refuseWrongFiles(files: readonly { readonly filename: string | null; readonly size: number }[]) {
  for (const { filename, size } of files)
    if (size === 0) throw refusedFile(`The attachment ${filename === null ? '' : `\`${filename}\` `}is empty.`)
  refuseTooMuch(files.map(({ size }) => size))
}
