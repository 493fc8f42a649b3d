// `npm test`: the checks, then every test that needs no more than the registries. Words after `--` go to the test runner:
// `npm test -- src/resources/topics` runs one folder, and skips the checks.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, install, requireNode, root } from './prepare.mjs'

requireNode()
install()
await build()
const chosen = process.argv.slice(2)
if (chosen.length === 0) await import('./check.mjs')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const done = spawnSync(process.execPath, [vitest, 'run', ...chosen], { cwd: root, stdio: 'inherit' })
process.exit(done.status ?? 1)
