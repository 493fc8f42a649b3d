import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/**
 * A file or folder that ships with the program: beside the bundle in `dist/`, or above the sources when they run as they are.
 */
export function assetPath(name: string): string {
  const here = fileURLToPath(import.meta.url)
  for (let folder = dirname(here); folder !== dirname(folder); folder = dirname(folder)) {
    const found = [join(folder, name), join(folder, 'dist', name)].find((path) => existsSync(path))
    if (found) return found
  }
  throw new Error(`${name} is missing from this installation of Postwren.`)
}

/** The content of a file that ships with a packed copy. The images carry that copy alone: most browsers never ask for more. */
export const readPlain = (path: string): Buffer =>
  existsSync(path) ? readFileSync(path) : brotliDecompressSync(readFileSync(`${path}.br`))
