import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const SOURCE = join('test', 'clients', 'packages')

/** Where packages are installed: a folder of the system, named after what is in it, and used again the next time. */
export const folderOf = (source: string) => join(tmpdir(), `postwren-clients-${hashOf('package-lock.json', source)}`)

export const CACHE = folderOf(SOURCE)

const require = createRequire(join(CACHE, 'package.json'))

export const installClients = () => installPackages(SOURCE)

/**
 * Installs packages when they are not there. Peers are not drawn in: an adapter for a shop does not need the shop. The versions
 * are exact, because npm picks an older one when the newest asks for a newer Node; both the CLI and the MCP server run on 20.
 */
export function installPackages(source: string) {
  const folder = folderOf(source)
  mkdirSync(folder, { recursive: true })
  if (!existsSync(join(folder, '.installed'))) {
    console.error(`Installing the clients into ${folder} …`)
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(source, name), join(folder, name))
    const words = ['install', '--legacy-peer-deps', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund']
    const done = spawnSync('npm', [...words, '--loglevel=error'], { cwd: folder, stdio: ['ignore', 2, 2] })
    if (done.status !== 0) throw new Error('npm could not install the clients; its own message is above.')
    writeFileSync(join(folder, '.installed'), '')
  }
  // What runs beside them is always that of this checkout.
  cpSync(source, folder, { recursive: true })
}

export function hashOf(name: string, source = SOURCE) {
  return createHash('sha256')
    .update(readFileSync(join(source, name)))
    .digest('hex')
    .slice(0, 12)
}

export const load = (name: string): unknown => require(name)

export const versionOf = (name: string, folder = CACHE): string =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

/** What the types of an SDK promise: the JSON Schema of what each method gives, and what is private to it. */
export interface Shapes {
  readonly methods: Record<string, object>
  readonly hidden: readonly string[]
}

/** Read from its types once: the compiler takes some seconds for each version. */
export async function shapesOf(name: string): Promise<Shapes> {
  const file = join(CACHE, `shapes-${name}-${hashOf('shapes.mjs')}.json`)
  if (!existsSync(file)) {
    const { stdout, stderr, code } = await runNode(['shapes.mjs', name], {}, { patienceMs: 120_000 })
    if (code !== 0) throw new Error(`The types of ${name} cannot be read: ${stderr}`)
    writeFileSync(file, stdout)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A client as a program of its own. It knows nothing of whoever runs it, and gets half a minute. */
export async function runNode(
  words: readonly string[],
  environment: Record<string, string>,
  options: { input?: string; patienceMs?: number; folder?: string } = {},
): Promise<Finished> {
  const { input, patienceMs = 30_000, folder = CACHE } = options
  const running = promisify(execFile)(process.execPath, words, {
    cwd: folder,
    env: { PATH: process.env.PATH!, HOME: join(folder, 'home'), ...environment },
    timeout: patienceMs,
    maxBuffer: 64 * 1_048_576,
  })
  running.child.stdin?.end(input)
  return running.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({
      code: typeof error.code === 'number' ? error.code : null,
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? '',
    }),
  )
}
