// `npm run check`: everything that can be said about the code without starting the service as a user would. Each step prints one
// line; a step that fails prints all it has to say, and the command ends with 1.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { install, requireNode, root } from './prepare.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)

/**
 * The compiler remembers what it has checked: 3 s of CPU instead of 17 when little has changed. One thread: several each work out types
 * anew that they share, 27 s in all, and the tests that run beside it have no core to spare.
 */
const tsc = (name, ...words) => {
  const memory = join(root, 'node_modules', '.cache', 'postwren', `${name}.tsbuildinfo`)
  return [bin('tsc'), '--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', memory, ...words]
}

const STEPS = [
  { name: 'format and lint', command: [bin('biome'), 'check', '--error-on-warnings', '.'] },
  { name: 'words', command: [process.execPath, 'scripts/check-words.mjs'] },
  { name: 'types', command: tsc('server') },
  { name: 'types of the dashboard', command: tsc('dashboard', '--project', 'dashboard') },
  {
    name: 'generated documents',
    command: [process.execPath, 'scripts/run.mjs', 'scripts/generate-docs.ts', '--check'],
  },
]

export function check() {
  for (const { name, command } of STEPS) {
    const startedAt = performance.now()
    const [program, ...args] = command
    const done = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    console.log(`${done.status === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
    if (done.status === 0) continue
    console.log(`${done.stdout ?? ''}${done.stderr ?? ''}${done.error ?? ''}`)
    process.exit(1)
  }
}

requireNode()
install()
check()
