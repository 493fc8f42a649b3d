// Runs a TypeScript program of this repository on Node 20, which cannot: `node scripts/run.mjs bench/main.ts lists`.
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { install, requireNode, root } from './prepare.mjs'

requireNode()
install()
const [program, ...rest] = process.argv.slice(2)
const { build } = await import('esbuild')
const folder = join(root, 'node_modules', '.cache', 'postwren')
mkdirSync(folder, { recursive: true })
const outfile = join(folder, `${basename(program, '.ts')}-${process.pid}.mjs`)
await build({
  entryPoints: [join(root, program)],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  logLevel: 'warning',
})
process.argv.splice(1, 2, outfile)
process.argv.length = 2
process.argv.push(...rest)
await import(pathToFileURL(outfile).href)
