import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/adapters/postgres/embedded.ts'
import { findPostmaster } from '../../../src/adapters/postgres/postmaster.ts'
import { isPostgresOf } from '../../../src/adapters/postgres/processes.ts'
import { ObservedList } from '../changes.ts'
import { copyCluster } from './cluster.ts'

/** For all but the crash tests: a folder that was never flushed is also removed 30 times faster (0.02 s against 0.6 s). */
const CARELESS = { fsync: 'off' }

/** A folder of its own for one test. Whatever still runs in it afterwards is stopped, then it is removed. */
export function scratchFolder(options: { mode?: number; owner?: { uid: number; gid: number } } = {}): string {
  const folder = makeTemporary(options.mode ?? 0o755)
  if (options.owner) chownSync(folder, options.owner.uid, options.owner.gid)
  onTestFinished(async () => {
    for (const cluster of clustersIn(folder)) await stopLeftover(cluster)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** A data folder with a cluster in it: a copy takes 0.1 s, initdb 1 s. */
export function folderWithCluster(dataDir = scratchFolder()): string {
  copyCluster(inject('clusters').empty, dataDir)
  return dataDir
}

function makeTemporary(mode: number) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'postwren-'))
  chmodSync(folder, mode)
  return folder
}

function clustersIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries.filter((entry) => entry.endsWith('postmaster.pid')).map((entry) => join(folder, entry, '..'))
}

/** kill -9, and waits until it is gone. To be started again: its shared memory stays until then. */
export async function killServer(clusterFolder: string) {
  await signalServer(clusterFolder, 'SIGKILL')
}

/** Stops what nobody uses any more, and says whether there was something. */
export const stopLeftover = (clusterFolder: string) => signalServer(clusterFolder, 'SIGINT')

async function signalServer(clusterFolder: string, signal: NodeJS.Signals): Promise<boolean> {
  const postmaster = await findPostmaster(clusterFolder)
  if (!postmaster) return false
  process.kill(postmaster.pid, signal)
  await eventually(async () => !(await isPostgresOf(clusterFolder, postmaster.pid)))
  return true
}

/** A server that is stopped when the test ends, and the words it logged. */
export async function start(dataDir: string, settings: Record<string, string> = CARELESS) {
  const words = new ObservedList<string>()
  const log = {
    info: (message: string) => words.push(message),
    warn: (message: string) => words.push(`warn: ${message}`),
  }
  const server = await startEmbeddedPostgres({ dataDir, log, settings })
  onTestFinished(() => server.stop())
  return { ...server, words }
}

/** One statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(server: Pick<EmbeddedPostgres, 'connection'>, text: string) {
  const client = new pg.Client(server.connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

export const isRunning = async (dataDir: string) => {
  const folder = join(dataDir, 'postgres')
  return existsSync(folder) && (await findPostmaster(folder)) !== null
}

export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = 45_000) {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${condition}`)
    await delay(5)
  }
}
