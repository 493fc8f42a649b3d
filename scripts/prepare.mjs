// What `npm start` and `npm test` do before anything else: install what is missing, build what is stale, and nothing when
// all is fresh. Plain JavaScript without dependencies, because on a bare clone there is nothing else yet.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lockFile = join(root, 'package-lock.json')
const installedStamp = join(root, 'node_modules', '.postwren-installed')
const builtStamp = join(root, 'dist', '.built')

/** Leaves with one line when Node is too old; the syntax and the APIs we use need this version. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Postwren needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

/**
 * Installs when node_modules does not match the lock file. `npm install` and not `npm ci`: a mirror of the registry need not have
 * the binaries of every platform, and `npm ci` refuses a lock file that lacks those of systems nobody here uses. The versions
 * are the lock file's all the same, and the file is put back as it was.
 */
export function install() {
  const lock = readFileSync(lockFile)
  const wanted = hash(lock)
  if (existsSync(installedStamp) && readFileSync(installedStamp, 'utf8') === wanted) return
  console.error('Installing dependencies (first run, or the lock file changed)…')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const done = spawnSync(npm, ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  })
  writeFileSync(lockFile, lock)
  if (done.status !== 0) {
    console.error('npm install failed; its own message is above.')
    process.exit(1)
  }
  writeFileSync(installedStamp, wanted)
}

/** What is built, from what, and where its stamp is. The dashboard apart: most changes are not about it. */
const PARTS = [
  {
    name: 'Building…',
    stamp: builtStamp,
    inputs: () => ['scripts/build.mjs', ...filesBelow('src'), ...filesBelow('migrations')],
    make: async () => (await import('./build.mjs')).bundle(),
  },
  {
    name: 'Building the dashboard…',
    stamp: join(root, 'dist-dashboard', '.built'),
    inputs: () => ['scripts/build-dashboard.mjs', ...filesBelow('dashboard'), ...shared()],
    make: async () => (await import('./build-dashboard.mjs')).buildDashboard(),
  },
]

/** What the dashboard shares with the server: schemas with what they are made of, and pure functions about mail. */
export const shared = () =>
  filesBelow('src').filter((file) => /[\\/](schema|shapes|message)\.ts$|[\\/]mail[\\/][\w-]+\.ts$/.test(file))

/** Builds what has changed since the last build, the parts beside each other: each has a core on the smallest machine. */
export async function build() {
  await Promise.all(
    PARTS.map(async ({ name, stamp, inputs, make }) => {
      const wanted = stateOf(['package-lock.json', ...inputs()])
      if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
      console.error(name)
      await make()
      mkdirSync(dirname(stamp), { recursive: true })
      writeFileSync(stamp, wanted)
    }),
  )
}

/** Names, sizes and times of all that goes into a build: a few hundred stat calls, some 5 ms. */
function stateOf(inputs) {
  return hash(
    inputs
      .sort()
      .map((file) => {
        const { size, mtimeMs } = statSync(join(root, file))
        return `${file} ${size} ${mtimeMs}`
      })
      .join('\n'),
  )
}

/** Both parts ask for `src`: a folder is read once. */
const listings = new Map()

function filesBelow(folder) {
  if (!listings.has(folder)) listings.set(folder, readFolder(folder))
  return listings.get(folder)
}

function readFolder(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

function hash(content) {
  return createHash('sha256').update(content).digest('hex')
}
