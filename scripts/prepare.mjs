// What `npm start` and `npm test` do before anything else: install what is missing, build what is stale, and nothing when
// all is fresh. Plain JavaScript without dependencies, because on a bare clone there is nothing else yet.
import { spawn, spawnSync } from 'node:child_process'
import cluster from 'node:cluster'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lockFile = join(root, 'package-lock.json')
const installedStamp = join(root, 'node_modules', '.postwren-installed')
/** In a folder that was built: from what. */
const STAMP = '.built'

/** What a terminal, npm or a supervisor sends to whom it wants to end. */
const STOPS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Leaves with one line when Node is too old; the syntax and the APIs we use need this version. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Postwren needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

/**
 * What a start needs: the program, built from these sources, and a node_modules for the embedded PostgreSQL. All else in there is for
 * building, so a tree that was built elsewhere, or by somebody who may write where we may not, starts as it is.
 */
export async function prepare() {
  // One of several processes runs what the first one was started with.
  if (cluster.isWorker) return
  requireNode()
  const stale = staleParts()
  if (stale.length > 0 || !existsSync(join(root, 'node_modules'))) install()
  await buildParts(stale)
}

/**
 * Installs when node_modules does not match the lock file. `npm install` and not `npm ci`, which begins by deleting what is there: after
 * a small change this takes seconds. The versions are the lock file's all the same, and the file is put back as it was: a mirror of the
 * registry need not have the binaries of every platform, and npm takes out those that it does not find. With what is for development
 * also where NODE_ENV says production: without a bundler there is no program.
 */
export function install() {
  const lock = readFileSync(lockFile)
  const wanted = hash(lock)
  if (existsSync(installedStamp) && readFileSync(installedStamp, 'utf8') === wanted) return
  if (!isInstalled(lock)) {
    requireWritable('Its dependencies are not installed')
    console.error('Installing dependencies (first run, or the lock file changed)…')
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const done = spawnSync(npm, ['install', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', process.stderr, process.stderr],
    })
    writeFileSync(lockFile, lock)
    if (done.status !== 0) {
      console.error('npm install failed; its own message is above.')
      process.exit(1)
    }
  }
  writeIfPossible(installedStamp, wanted)
}

/** Whether `npm ci` or whoever else has put there what the lock file says. What is optional may be for another system. */
function isInstalled(lock) {
  const file = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(file)) return false
  const there = JSON.parse(readFileSync(file, 'utf8')).packages
  return Object.entries(JSON.parse(lock).packages).every(
    ([path, { version, optional }]) => path === '' || optional || there[path]?.version === version,
  )
}

/** What is built, from what, by which script, and into which folder. The dashboard apart: most changes are not about it. */
const PARTS = [
  {
    name: 'Building…',
    script: 'scripts/build.mjs',
    folder: 'dist',
    sources: () => [...filesBelow('src'), ...filesBelow('migrations')],
  },
  {
    name: 'Building the dashboard…',
    script: 'scripts/build-dashboard.mjs',
    folder: 'dist-dashboard',
    sources: () => [...filesBelow('dashboard'), ...shared()],
  },
  {
    name: 'Building the tools for tests…',
    script: 'scripts/build-testing.mjs',
    folder: 'dist-testing',
    sources: () => filesBelow('testkit'),
  },
  {
    name: 'Building the guide…',
    script: 'scripts/build-guide.mjs',
    folder: 'dist-guide',
    sources: () => [...filesBelow('docs'), ...filesBelow('guide'), 'CHANGELOG.md', 'SECURITY.md'],
  },
]

/** What the dashboard shares with the server: schemas with what they are made of, their words, and pure functions about mail. */
export const shared = () =>
  filesBelow('src').filter((file) =>
    /[\\/](schema|words|limits|shapes|message|duration)\.ts$|[\\/]mail[\\/]((providers|routes)[\\/])?[\w-]+\.ts$/.test(
      file,
    ),
  )

/** Builds what has changed since the last build. Each script leaves the stamp in the folder that it makes. */
export const build = () => buildParts(staleParts())

async function buildParts(stale) {
  if (stale.length === 0) return
  requireWritable('It is not built, or not from these sources')
  for (const { name } of stale) console.error(name)
  await runBeside(stale.map(({ script, inputs }) => [script, `${timesOf(inputs)}\n${contentsOf(inputs)}`]))
}

function staleParts() {
  return PARTS.map((part) => ({
    ...part,
    inputs: ['package-lock.json', part.script, ...part.sources()].sort(),
  })).filter(({ folder, inputs }) => !isFresh(join(root, folder, STAMP), inputs))
}

/** By times, which is fast; by contents, 0.1 s, when those are others: a copy of a tree, or a checkout, has files of its own time. */
function isFresh(stamp, inputs) {
  if (!existsSync(stamp)) return false
  const [times, contents] = readFileSync(stamp, 'utf8').split('\n')
  const now = timesOf(inputs)
  if (times === now) return true
  if (contents !== contentsOf(inputs)) return false
  writeIfPossible(stamp, `${now}\n${contents}`)
  return true
}

function requireWritable(trouble) {
  if (isWritable()) return
  console.error(`${trouble}, and ${root} cannot be written to: run \`npm run build\` there as somebody who may.`)
  process.exit(1)
}

function isWritable() {
  try {
    accessSync(root, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** What only saves time the next time. */
function writeIfPossible(file, text) {
  try {
    writeFileSync(file, text)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error
  }
}

/**
 * Each script in a process of its own, beside each other: each has a core on the smallest machine. The bundlers leave 320 MB and a
 * helper of 230 MB in the process that has used them, and a service that has just been built would keep both for as long as it runs.
 * The first that fails ends this process, and the others with it; so does a signal, also when only this process gets it.
 */
async function runBeside(commands) {
  const children = commands.map((words) =>
    spawn(process.execPath, words, { cwd: root, stdio: ['ignore', process.stderr, process.stderr] }),
  )
  let received = null
  const endAll = (signal = null) => {
    received ??= signal
    for (const child of children) child.kill()
  }
  for (const signal of STOPS) process.on(signal, endAll)
  const codes = await Promise.all(
    children.map(async (child) => {
      const [code] = await once(child, 'close')
      if (code !== 0) endAll()
      return code
    }),
  )
  for (const signal of STOPS) process.off(signal, endAll)
  // Ended by it, as without the handler; it may take a moment to arrive.
  if (received) process.kill(process.pid, received)
  if (received) await delay(1_000)
  if (codes.every((code) => code === 0)) return
  console.error('The build failed; its own message is above.')
  process.exit(1)
}

/** Names, sizes and times of all that goes into a build: two thousand stat calls. Paths are put together by hand: `join` was seen in the profile of a start. */
function timesOf(inputs) {
  let text = ''
  for (const file of inputs) {
    const { size, mtimeMs } = statSync(`${root}/${file}`)
    text += `${file} ${size} ${mtimeMs}\n`
  }
  return hash(text)
}

function contentsOf(inputs) {
  const sum = createHash('sha256')
  for (const file of inputs) {
    const content = readFileSync(join(root, file))
    sum.update(`${file} ${content.length}\n`).update(content)
  }
  return sum.digest('hex')
}

/** Both parts ask for `src`: a folder is read once. */
const listings = new Map()

function filesBelow(folder) {
  if (!listings.has(folder)) listings.set(folder, readFolder(folder))
  return listings.get(folder)
}

function readFolder(folder) {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return readFolder(path)
    return entry.isFile() && !entry.name.endsWith('.test.ts') ? [path] : []
  })
}

function hash(content) {
  return createHash('sha256').update(content).digest('hex')
}

/** Removed however the process ends, short of kill -9: what a build has begun and not put in place. */
export function removeAtExit(...folders) {
  process.on('exit', () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of STOPS) process.once(signal, () => process.exit(1))
}

/** Says what a folder was built from, as `build` has told the script; without it the next start builds again. */
export function stamp(folder) {
  const [, , wanted] = process.argv
  if (wanted) writeFileSync(join(folder, STAMP), wanted)
}
