import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A file that ships with the program: beside the bundle in `dist/`, or in the repository when the sources run as they are. */
export function assetPath(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}`, import.meta.url))
  if (existsSync(beside)) return beside
  const inRepository = fileURLToPath(new URL(`../../${name}`, import.meta.url))
  return existsSync(inRepository) ? inRepository : fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))
}
