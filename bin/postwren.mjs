#!/usr/bin/env node
// The `postwren` command. In a checkout it builds first when sources changed; a published package has no sources.
import { existsSync } from 'node:fs'
import { enableCompileCache, saveCompileCache } from './compile-cache.mjs'

if (existsSync(new URL('../src', import.meta.url))) {
  const { prepare } = await import('../scripts/prepare.mjs')
  await prepare()
}
enableCompileCache()
const { run } = await import('../dist/postwren.js')
await run(process.argv.slice(2))
saveCompileCache()
