import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKOUT } from './program.ts'

/** What a build is made of. */
const SOURCES = ['bin', 'src', 'scripts', 'migrations', 'package.json', 'package-lock.json']

export interface OlderBuild {
  /** What starts it, without the word that says which command. */
  readonly command: readonly string[]
  readonly migrations: string
}

/** The commit before the one that has added a file, or null: this checkout has no history, or not so much of it. */
export function commitBefore(file: string): string | null {
  try {
    const added = git('log', '--diff-filter=A', '--format=%H', '--', file).trim().split('\n').at(-1)
    return added ? git('rev-parse', '--verify', '--quiet', `${added}^`).trim() : null
  } catch {
    return null
  }
}

/**
 * The program of that commit, built by its own script. Kept in the system's folder for temporary files: the next run of this checkout, whose packages it
 * uses, has it at once.
 */
export function buildOf(commit: string): OlderBuild {
  const checkout = createHash('sha256').update(CHECKOUT).digest('hex').slice(0, 12)
  const folder = join(realpathSync(tmpdir()), `postwren-build-${process.getuid?.() ?? 0}-${checkout}-${commit}`)
  // Another checkout may have been here, and gone with its packages.
  if (existsSync(folder) && !existsSync(join(folder, 'node_modules'))) rmSync(folder, { recursive: true })
  if (!existsSync(folder)) build(commit, folder)
  return { command: [process.execPath, join(folder, 'bin/postwren.mjs')], migrations: join(folder, 'migrations') }
}

/** Made aside, and put in place by its name: of two that build at once one gets there first, and the other has the same. */
function build(commit: string, folder: string) {
  const next = `${folder}.next-${process.pid}`
  const archive = join(next, 'sources.tar')
  mkdirSync(next, { recursive: true, mode: 0o755 })
  try {
    git('archive', '--output', archive, commit, '--', ...SOURCES)
    execFileSync('tar', ['-xf', archive, '-C', next])
    rmSync(archive)
    symlinkSync(realpathSync(join(CHECKOUT, 'node_modules')), join(next, 'node_modules'))
    execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: next, stdio: 'pipe' })
    // As a published package, which does not look for sources that are newer than itself.
    rmSync(join(next, 'src'), { recursive: true })
    renameSync(next, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: CHECKOUT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
