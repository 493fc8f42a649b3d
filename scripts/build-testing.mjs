// `postwren/testing` as files that run and are typed wherever tests run: CommonJS, which `import` and `require` both take, so that there
// is one of it in a process. Only what vitest loads is an ES module, because vitest cannot be required.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { removeAtExit, root, stamp } from './prepare.mjs'

const COMMONJS = ['index', 'setup', 'matchers', 'jest', 'playwright']
const ES = ['vitest']

/** Built aside and put in place when it is complete: a build that fails leaves the last one alone. */
async function buildTesting() {
  const folder = join(root, 'dist-testing')
  const next = join(root, `dist-testing.next-${process.pid}`)
  removeAtExit(next)
  mkdirSync(next)
  await bundle(next)
  declare(next)
  stamp(next)
  rmSync(folder, { recursive: true, force: true })
  renameSync(next, folder)
}

async function bundle(outdir) {
  const options = { bundle: true, platform: 'node', target: 'node20', outdir, logLevel: 'warning' }
  const entries = (names) => names.map((name) => join(root, 'testkit', `${name}.ts`))
  await build({
    ...options,
    entryPoints: entries(COMMONJS),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external: ['@playwright/test'],
  })
  await build({
    ...options,
    entryPoints: entries(ES),
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    external: ['vitest'],
  })
  // A function, and not an object that has one: each of the runners that load it wants it so.
  const setup = join(outdir, 'setup.cjs')
  writeFileSync(setup, `${readFileSync(setup, 'utf8')}module.exports = module.exports.default\n`)
}

/** The compiler writes `.d.ts`, for modules of the kind that package.json says; these are of a kind of their own. */
function declare(outdir) {
  const draft = join(outdir, 'types')
  const done = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['--project', 'testkit', '--outDir', draft], {
    cwd: root,
    encoding: 'utf8',
  })
  if (done.status !== 0)
    throw new Error(`The types of the tools for tests:\n${done.stdout}${done.stderr}${done.error ?? ''}`)
  for (const name of readdirSync(join(draft, 'testkit'))) {
    const kind = ES.some((one) => name === `${one}.d.ts`) ? 'mts' : 'cts'
    const text = readFileSync(join(draft, 'testkit', name), 'utf8')
    writeFileSync(join(outdir, name.replace(/ts$/, kind)), text.replace(/(['"])(\.\/[\w-]+)\.(?:js|ts)\1/g, "'$2.cjs'"))
  }
  const setup = join(outdir, 'setup.d.cts')
  const text = readFileSync(setup, 'utf8').replace('export default function', 'declare function')
  writeFileSync(setup, `${text}export = setup;\n`)
  rmSync(draft, { recursive: true })
  cpSync(join(root, 'testkit', 'jest.d.cts'), join(outdir, 'jest.d.cts'))
}

await buildTesting()
