// `npm start`: one process from here on; the service runs inside this one, so signals need no forwarding. The `exec` in
// package.json is part of that: without it a shell stays in between, and a signal to npm ends the shell and not the service.
import { enableCompileCache, saveCompileCache } from '../bin/compile-cache.mjs'
import { prepare } from './prepare.mjs'

await prepare()
enableCompileCache()
const { run } = await import('../dist/postwren.js')
await run(['serve', ...process.argv.slice(2)])
saveCompileCache()
