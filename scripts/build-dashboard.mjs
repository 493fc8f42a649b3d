// The dashboard as files that any browser takes: split by page, named by content, each with packed copies beside it.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { writeLicenses } from './licenses.mjs'
import { removeAtExit, root, stamp } from './prepare.mjs'

// Whoever starts it: with that of a test React would be built with its checks, half as large again.
process.env.NODE_ENV = 'production'

/** Built aside and put in place when it is complete: a build that fails leaves the last one alone. */
async function buildDashboard() {
  const folder = join(root, 'dist-dashboard')
  const next = join(root, `dist-dashboard.next-${process.pid}`)
  removeAtExit(next)
  mkdirSync(next)
  const { output } = await build({
    root: join(root, 'dashboard'),
    configFile: join(root, 'dashboard/vite.config.ts'),
    build: { outDir: next },
    logLevel: 'error',
  })
  pack(next)
  writeLicenses(
    next,
    output.flatMap(({ moduleIds = [] }) => moduleIds),
  )
  stamp(next)
  rmSync(folder, { recursive: true, force: true })
  renameSync(next, folder)
}

function pack(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(js|css|html|svg)$/.test(name)) continue
    const plain = readFileSync(join(folder, name))
    if (plain.length <= 1_000) continue
    writeFileSync(join(folder, `${name}.gz`), gzipSync(plain, { level: 9 }))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(plain))
  }
}

await buildDashboard()
