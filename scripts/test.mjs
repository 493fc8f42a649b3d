// `npm test`: every test that needs no more than the registries, except for those that are long, which take as much time again:
// `npm run test:long`. `npm run test:isolated`: all of them, each file in a process of its own and each test in any order. Words after `--` go to the test runner: `npm test -- src/features/topics` runs one folder, whatever it holds.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build, install, requireNode, root } from './prepare.mjs'

requireNode()
install()
await build()
const words = process.argv.slice(2)
const [isLong, isIsolated] = [words[0] === '--long', words[0] === '--isolated']
const chosen = isLong || isIsolated ? words.slice(1) : words
const projects = isIsolated
  ? ['--isolate', '--sequence.shuffle.files', '--sequence.shuffle.tests']
  : isLong
    ? ['--project=long', '--project=packages']
    : chosen.length === 0
      ? ['--project=tests']
      : []
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
process.exit(await run([vitest, 'run', ...projects, ...chosen]))

/** Its exit code. It ends by itself when a signal comes from the terminal; npm sends it to this process alone. */
async function run(command) {
  const child = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'close')
  return code ?? 1
}
