// `npm run chaos -- 200`: two nodes under load (emails, automations, broadcasts, mail for an inbox), and so many faults at random (a
// thousand unless said otherwise), some ten seconds each; with 12 each kind comes once. It counts what was lost, doubled and left behind,
// and fails when there is more of it than was on the wire of a node that died or stood still.
//
// `npm run chaos -- failover 20`: two of each role on two PostgreSQL under Patroni, and so many times another primary (twenty unless said
// otherwise), some half a minute each. Needs patroni, etcd-server, haproxy and postgresql of Debian; docs/operations/failover.md tells more.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, install, requireNode, root } from './prepare.mjs'

const KINDS = {
  faults: { file: 'test/faults/faults.test.ts', variable: 'POSTWREN_FAULTS', usually: 1_000 },
  failover: { file: 'test/faults/failover.test.ts', variable: 'POSTWREN_FAILOVERS', usually: 20 },
}

const words = process.argv.slice(2)
const { file, variable, usually } = words[0] === 'failover' ? KINDS[words.shift()] : KINDS.faults
const count = Number(words[0] ?? usually)
if (!Number.isInteger(count) || count < 1 || words.length > 1) {
  console.error('npm run chaos -- COUNT, or npm run chaos -- failover COUNT, with a whole number of faults.')
  process.exit(1)
}
requireNode()
install()
await build()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const done = spawnSync(process.execPath, [vitest, 'run', file, '--project=long', '--disableConsoleIntercept=true'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, [variable]: String(count) },
})
process.exit(done.status ?? 1)
