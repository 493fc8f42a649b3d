import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../src/adapters/postgres/embedded.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { CHROMIUM } from './chromium-path.ts'
import { copyCluster } from './postgres/cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `copy` are the words that make a new database one of the migrated `template`. */
    postgres: { connection: pg.ClientConfig; template: string; copy: string }
    /** Folders with a cluster to copy: one that was just made, and one whose database is migrated. */
    clusters: { empty: string; migrated: string }
  }
}

const silent = { info() {}, warn() {} }

const MEMORY_DISK = '/dev/shm'
/** The tests of processes were seen to fill half a gigabyte; the rest is for the server that all others share. */
const ROOM_BYTES = 4 * 1_073_741_824

/**
 * Where there is a disk in memory, temporary files go there: a copy of a cluster is some 1,400 files, which take 0.8 s of CPU on
 * ext4 and 0.13 s in memory. Nothing that is killed with -9 loses what it wrote to either. `TMPDIR` wins.
 */
function chooseTemporaryFolder() {
  if (process.env.TMPDIR || !existsSync(MEMORY_DISK)) return
  const { bavail, bsize } = statfsSync(MEMORY_DISK)
  if (bavail * bsize >= ROOM_BYTES) process.env.TMPDIR = MEMORY_DISK
}

/**
 * One real PostgreSQL for the whole run, and in it one migrated database that every test file copies: a copy takes some 60 ms,
 * migrating takes half a second. `POSTWREN_TEST_DATABASE_URL` names another server, to run the tests on another version.
 * Tests that start a service of their own get a copy of a whole cluster: 0.1 s, where initdb and migrating take two seconds.
 */
export default async function setup(project: TestProject) {
  chooseTemporaryFolder()
  await buildThreads()
  if (!CHROMIUM) process.stdout.write('The dashboard is not tested in a browser: there is no Chromium here.\n')
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'postwren-tests-'))
  chmodSync(folder, 0o755)
  const clusters = await makeClusters(folder)
  const server = await startServer(folder)
  const template = `postwren_template_${process.pid}`
  const admin = new pg.Client(server.connection)
  const end = async () => {
    await admin.end()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await admin.connect()
    await makeTemplate(admin, server, template)
    await settleCatalogue(databaseOn(server.connection, template))
    project.provide('postgres', { connection: server.connection, template, copy: await copyOf(admin, template) })
    project.provide('clusters', clusters)
    return async () => {
      const { rows } = await admin.query('select datname from pg_database where starts_with(datname, $1)', [template])
      for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`)
      await end()
    }
  } catch (error) {
    await end()
    throw error
  }
}

/** A copy of the database that was migrated already, where there is one: that was 2 s on a busy machine. */
async function makeTemplate(admin: pg.Client, { connection, isMigrated }: TestServer, template: string) {
  if (isMigrated) return admin.query(`create database ${template} ${await copyOf(admin, admin.database!)}`)
  await admin.query(`create database ${template}`)
  await migrate(databaseOn(connection, template), systemClock)
}

/**
 * What migrating has left in the catalogue is looked at by every connection to every copy, until somebody has marked it as settled: a copy with five
 * connections is 63 ms of the server's CPU instead of 76. The tables themselves stay as new, which is what plans go by.
 */
async function settleCatalogue(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<{ names: string }>(`
    select string_agg(oid::regclass::text, ', ') as names from pg_class
    where relnamespace = 'pg_catalog'::regnamespace and relkind = 'r' and not relisshared`)
  await client.query(`vacuum (freeze, analyze) ${rows[0]!.names}`)
  await client.end()
  // The first to come after it writes down what all others begin with.
  const next = new pg.Client(connection)
  await next.connect()
  await next.end()
}

/** File by file: 25 ms of CPU for a copy and its end. Block by block, as since version 15 unless told otherwise, they were 90 ms. */
async function copyOf(admin: pg.Client, template: string) {
  const { rows } = await admin.query<{ version: number }>(`select current_setting('server_version_num')::int version`)
  return `template ${template}${rows[0]!.version >= 150_000 ? ' strategy file_copy' : ''}`
}

/** Threads run JavaScript, and not what the test runner makes of the sources. */
async function buildThreads() {
  const { refreshWorker } = (await import('../../scripts/build.mjs' as string)) as {
    refreshWorker(name: string, folder: string): Promise<unknown>
  }
  mkdirSync('dist', { recursive: true })
  for (const name of ['parser-worker', 'editor-worker']) await refreshWorker(name, 'dist')
}

/**
 * Nothing in there outlives the run, so nothing needs to reach the disk or to be there after a crash. Each database that is made or dropped is
 * a checkpoint, after which whole pages would go into the log, compressed; and autovacuum comes as seldom as it does by default, since each of its
 * looks into a database is a process.
 */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_compression: 'off',
  autovacuum_naptime: '1min',
  max_connections: '300',
}

/** In `data` inside the folder. */
const startIn = (folder: string) =>
  startEmbeddedPostgres({ dataDir: join(folder, 'data'), log: silent, settings: SETTINGS })

async function makeClusters(folder: string) {
  const clusters = { empty: join(folder, 'empty'), migrated: join(folder, 'migrated') }
  await (await startIn(folder)).stop()
  copyCluster(join(folder, 'data'), clusters.empty)
  const server = await startIn(folder)
  await migrate(server.connection, systemClock)
  await server.stop()
  copyCluster(join(folder, 'data'), clusters.migrated)
  return clusters
}

interface TestServer {
  readonly connection: pg.ClientConfig
  /** Its own database, as `makeClusters` has left it. */
  readonly isMigrated: boolean
  stop(): Promise<void>
}

async function startServer(folder: string): Promise<TestServer> {
  const url = process.env.POSTWREN_TEST_DATABASE_URL
  if (url) return { connection: { connectionString: url }, isMigrated: false, stop: async () => {} }
  const server = await startIn(folder)
  return { connection: server.connection, isMigrated: true, stop: () => server.stop() }
}

export function databaseOn(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  if (!connection.connectionString) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}
