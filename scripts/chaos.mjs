// `npm run chaos -- 200`: two nodes under load (emails, automations, broadcasts, mail for an inbox), and so many faults at random (a
// thousand unless said otherwise), some ten seconds each; with 12 each kind comes once. It counts what was lost, doubled and left behind,
// and fails when there is more of it than was on the wire of a node that died or stood still.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, install, requireNode, root } from './prepare.mjs'

const faults = Number(process.argv[2] ?? 1_000)
if (!Number.isInteger(faults) || faults < 1) {
  console.error('npm run chaos -- COUNT, with a whole number of faults.')
  process.exit(1)
}
requireNode()
install()
await build()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const done = spawnSync(
  process.execPath,
  [vitest, 'run', 'test/faults/faults.test.ts', '--project=long', '--disableConsoleIntercept=true'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, POSTWREN_FAULTS: String(faults) } },
)
process.exit(done.status ?? 1)
