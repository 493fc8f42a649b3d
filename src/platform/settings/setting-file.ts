import { readFileSync, statSync } from 'node:fs'

const MAX_BYTES = 1_000_000

/** The text of a file that a setting names. */
export function readSettingFile(path: string, maxBytes = MAX_BYTES): string {
  try {
    if (statSync(path).size > maxBytes) throw Object.assign(new Error(), { code: `more than ${maxBytes} bytes` })
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`must be the path of a file that can be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
