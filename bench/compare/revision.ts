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

/** As a rule it needs the same packages, and copying them is faster than asking for them. */
function installInto(folder: string) {
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (existsSync('node_modules') && lockOf('.') === lockOf(folder))
    cpSync('node_modules', join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  else run('npm', ['ci', '--no-audit', '--no-fund'], folder)
}
