// `npm test`: the checks, and every test that needs no more than the registries, except for those of the lives of whole processes,
// which take as long again: `npm run test:processes`. Words after `--` go to the test runner: `npm test -- src/resources/topics` runs
// one folder, whatever it holds, and skips the checks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build, install, requireNode, root } from './prepare.mjs'

requireNode()
install()
await build()
const words = process.argv.slice(2)
const isProcesses = words[0] === '--processes'
const chosen = isProcesses ? words.slice(1) : words
const isAll = !isProcesses && chosen.length === 0
const projects = isProcesses ? ['--project=processes'] : isAll ? ['--project=!processes'] : []
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const tests = run([vitest, 'run', ...projects, ...chosen])
// Beside the tests, which leave a part of the cores idle. What they find is said at once, and again in the end.
const checks = isAll ? run([join(root, 'scripts', 'check.mjs')]) : 0
const [testsCode, checksCode] = await Promise.all([tests, checks])
if (checksCode !== 0) console.error('The checks failed (`npm run check`); what they found is above.')
process.exit(testsCode || checksCode)

/** Its exit code. It ends by itself when a signal comes from the terminal; npm sends it to this process alone. */
async function run(command) {
  const child = spawn(process.execPath, command, { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'close')
  return code ?? 1
}
