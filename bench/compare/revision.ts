import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../cleanup.ts'
import { progress } from '../progress.ts'

const run = (command: string, words: readonly string[], cwd = '.') =>
  execFileSync(command, words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })

export interface Checkout {
  readonly folder: string
  readonly name: string
}

/** A checkout of another revision, built. It is gone when the benchmark ends. */
export function buildRevision(revision: string): Checkout {
  const name = run('git', ['rev-parse', '--short', `${revision}^{commit}`]).trim()
  const folder = join(tmpdir(), `postwren-compare-${name}-${process.pid}`)
  progress(`checking out ${name}`)
  run('git', ['worktree', 'add', '--detach', folder, name])
  atEnd(() => {
    rmSync(folder, { recursive: true, force: true })
    run('git', ['worktree', 'prune'])
  })
  installInto(folder)
  return build({ folder, name })
}

export const buildThis = () => build({ folder: '.', name: 'this build' })

function build(checkout: Checkout): Checkout {
  progress(`building ${checkout.name}`)
  run('npm', ['run', 'build'], checkout.folder)
  return checkout
}

/** As a rule all that it needs is here, and copying is faster than asking for it. */
function installInto(folder: string) {
  if (hasPackagesOf(folder))
    cpSync('node_modules', join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  else run('npm', ['ci', '--no-audit', '--no-fund'], folder)
}

interface Manifest {
  readonly version?: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

/** True: each package that it names is installed here, in that version. */
function hasPackagesOf(folder: string): boolean {
  const { dependencies, devDependencies } = manifestIn(folder)!
  return Object.entries({ ...dependencies, ...devDependencies }).every(
    ([name, version]) => manifestIn(join('node_modules', name))?.version === version,
  )
}

function manifestIn(folder: string): Manifest | null {
  const file = join(folder, 'package.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : null
}
