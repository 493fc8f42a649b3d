// `npm test`: the checks, then every test that needs no more than the registries, except for those of faults, which take about as
// long again: `npm run test:faults`. Words after `--` go to the test runner: `npm test -- src/resources/topics` runs one folder,
// whatever it holds, and skips the checks.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, install, requireNode, root } from './prepare.mjs'

requireNode()
install()
await build()
const words = process.argv.slice(2)
const isFaults = words[0] === '--faults'
const chosen = isFaults ? words.slice(1) : words
const isAll = !isFaults && chosen.length === 0
if (isAll) await import('./check.mjs')
const projects = isFaults ? ['--project=faults'] : isAll ? ['--project=!faults'] : []
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const done = spawnSync(process.execPath, [vitest, 'run', ...projects, ...chosen], { cwd: root, stdio: 'inherit' })
process.exit(done.status ?? 1)
