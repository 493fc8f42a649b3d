import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

const FOLDERS = ['.', '../../report/golden/', '../../golden/'].map((path) => new URL(path, import.meta.url))

/** Every message that the tests of mail have, those that we build included. */
export const corpus: readonly { readonly name: string; readonly raw: Buffer }[] = FOLDERS.flatMap((folder) =>
  readdirSync(folder).flatMap((file) =>
    file.endsWith('.eml') ? [{ name: basename(file, '.eml'), raw: readFileSync(new URL(file, folder)) }] : [],
  ),
)
