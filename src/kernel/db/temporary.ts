import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findBinaries } from '../../adapters/postgres/binaries.ts'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { stopAbandoned } from '../../adapters/postgres/leave.ts'
import { isAlive } from '../../adapters/postgres/processes.ts'
import { runAsForNewCluster } from '../../adapters/postgres/run-as.ts'
import type { Clock } from '../../platform/clock.ts'
import { openDataFolder } from '../../platform/settings/data-folder.ts'
import { migrate } from './migrate.ts'
import { schemaState } from './schema-state.ts'

// A service for tests starts with an empty database, and nobody wants what is in it afterwards. initdb and all migrations take 1.2 s, a
// copy of what they make 0.15 s: so the first start on a machine keeps one, beside the temporary folders of all.

const FOLDER = 'postwren-temporary'
const TEMPLATE = 'postwren-template'

/** After a power cut there is nothing to find anyway. */
const CARELESS = ['fsync = off', 'full_page_writes = off', 'wal_level = minimal', 'max_wal_senders = 0']

/** While the template is made: each start copies what is left, and 50 MB that have not been read for a while take most of a second. */
const SMALL = { fsync: 'off', min_wal_size: '2MB', wal_recycle: 'off' }

/** A template that nobody has used for so long is of a version that nobody uses. */
const TEMPLATE_KEPT_MS = 7 * 24 * 60 * 60 * 1_000

const SILENT = { info() {}, warn() {} }

/** A data folder with an empty database in it. It is gone when the process exits. */
export async function makeTemporaryDataFolder(clock: Clock): Promise<string> {
  const own = mkdtempSync(join(temporaryFolder(), `${FOLDER}-${process.pid}-`))
  process.once('exit', () => rmSync(own, { recursive: true, force: true, maxRetries: 3 }))
  letThrough(own)
  const dataDir = join(own, 'data')
  openDataFolder(dataDir)
  const template = await ensureTemplate(clock)
  await unpack(template, dataDir).catch(async () => {
    // Cut off by whatever it was, and no good to anybody: it is made anew.
    rmSync(template)
    rmSync(dataDir, { recursive: true })
    openDataFolder(dataDir)
    await unpack(await ensureTemplate(clock), dataDir)
  })
  return dataDir
}

/** With owners: as root the server is somebody else, and finds its own. */
const unpack = (template: string, dataDir: string) => run('tar', ['-xpf', template, '-C', dataDir])

async function ensureTemplate(clock: Clock): Promise<string> {
  const template = await nameOfTemplate()
  if (!existsSync(template)) await makeTemplate(template, clock)
  refuseForeign(template)
  const now = clock.now()
  utimesSync(template, now, now)
  return template
}

const run = promisify(execFile)

/** As root the embedded server is another user, who must get through to what is its own. */
const letThrough = (folder: string) => chmodSync(folder, process.getuid?.() === 0 ? 0o711 : 0o700)

/** The real path, because PostgreSQL reports that one. */
const temporaryFolder = () => realpathSync(tmpdir())

/**
 * One file, which is there or is not. Made aside and put in place by its name: of several starters one gets its own in, and the others
 * use that one, or have the same.
 */
async function makeTemplate(template: string, clock: Clock) {
  const draft = mkdtempSync(join(temporaryFolder(), `${FOLDER}-${process.pid}-`))
  const dataDir = join(draft, 'data')
  try {
    letThrough(draft)
    const server = await startEmbeddedPostgres({ dataDir, log: SILENT, settings: SMALL })
    await migrate(server.connection, clock)
      .then(() => shrink(server.connection))
      .finally(() => server.stop())
    appendFileSync(join(dataDir, 'postgres', 'postgresql.conf'), `${CARELESS.join('\n')}\n`)
    const packed = join(draft, 'template')
    await run('tar', ['-cf', packed, '-C', dataDir, 'postgres'])
    chmodSync(packed, 0o600)
    renameSync(packed, template)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Nobody makes another database of these. They were a third of it. */
async function shrink(connection: pg.ClientConfig) {
  const client = new pg.Client(connection)
  await client.connect()
  for (const database of ['template0', 'template1']) {
    await client.query(`alter database ${database} with is_template false`)
    await client.query(`drop database ${database}`)
  }
  await client.end()
}

/** Anybody can make files in /tmp, and a cluster of somebody else's would be their program, run by us. */
function refuseForeign(template: string) {
  const found = lstatSync(template)
  if (found.isFile() && found.uid === ownUid() && (found.mode & 0o077) === 0) return
  throw new Error(`${template} is not a file of this user alone: remove it, or set TMPDIR.`)
}

/** Says what a database is made by: the binaries, how they are used, who runs them, and every migration as it is. */
async function nameOfTemplate(): Promise<string> {
  const binaries = findBinaries()
  const runAs = await runAsForNewCluster(temporaryFolder(), binaries)
  const migrations = schemaState([]).missing.map(({ name, checksum }) => `${name} ${checksum}`)
  const version = createHash('sha256')
    .update([binaries.version, process.arch, ...CARELESS, JSON.stringify([SMALL, runAs]), ...migrations].join('\n'))
    .digest('hex')
    .slice(0, 16)
  return join(temporaryFolder(), `${TEMPLATE}-${ownUid()}-${version}`)
}

const ownUid = () => process.getuid?.() ?? 0

/** What was left by starts that were killed, with the servers that run in there; and templates that nobody uses any more. */
export async function removeAbandonedData(clock: Clock) {
  const folder = temporaryFolder()
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const pid = Number(new RegExp(`^${FOLDER}-(\\d+)-`).exec(name)?.[1] ?? 0)
    const isAbandoned = pid > 0 && !isAlive(pid)
    if (!isAbandoned && !name.startsWith(`${TEMPLATE}-${ownUid()}-`)) continue
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.uid !== ownUid() || (isAbandoned && !found.isDirectory())) continue
    if (!isAbandoned && clock.now().getTime() - found.mtimeMs < TEMPLATE_KEPT_MS) continue
    if (isAbandoned) await stopAbandoned(join(path, 'data', 'postgres'))
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  }
}
