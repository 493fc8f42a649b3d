// `npm run clients`: clients of others (SDKs, CLI, MCP server, adapters) against a fresh Postwren on loopback. Builds first, because
// they are to meet the service of this checkout; kept out of `npm test`, because it installs some 300 MB from the registry.
import { build, install, requireNode } from './prepare.mjs'

requireNode()
install()
await build()
process.argv.splice(2, 0, 'test/clients/main.ts')
await import('./run.mjs')
