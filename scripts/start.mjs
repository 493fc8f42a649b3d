// `npm start`: one process from here on; the service runs inside this one, so signals need no forwarding.
import { build, install, requireNode } from './prepare.mjs'

requireNode()
install()
await build()
const { run } = await import('../dist/postwren.js')
await run(['serve', ...process.argv.slice(2)])
