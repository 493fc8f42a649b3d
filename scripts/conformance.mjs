// `npm run conformance`: the suite of the contract against this checkout and against public servers of the same kind, on loopback. Builds
// first, because the service of this checkout is tried; kept out of `npm test`, because it installs some 400 MB from the registry.
import { build, install, requireNode } from './prepare.mjs'

requireNode()
install()
await build()
process.argv.splice(2, 0, 'test/clients/conformance/main.ts')
await import('./run.mjs')
