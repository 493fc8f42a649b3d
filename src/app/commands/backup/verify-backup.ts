import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { identifier, listTables, selectAll } from '../../../kernel/db/catalog.ts'
import { copyOut } from '../../../kernel/db/copy.ts'
import { systemClock } from '../../../platform/clock.ts'
import { type CommandInput, OperatorError, tableOf } from '../command.ts'
import { sizeOf } from '../progress.ts'
import { checkBlobs } from './blobs.ts'
import { isKept } from './dump.ts'
import { Fingerprint } from './fingerprint.ts'
import { openInstallation } from './installation.ts'
import { loadDatabase, migrationsFor } from './load.ts'
import { type BackedUpTable, blobListFile, type Manifest } from './manifest.ts'
import { checkFiles, type OpenBackup, withBackup } from './restore-backup.ts'
import { withClient, withSession } from './session.ts'

/** A table as it is in the backup, and as it came back from the scratch database. */
interface Compared {
  readonly table: BackedUpTable
  readonly rows: number
  readonly isSame: boolean
}

export async function verifyBackup(input: CommandInput) {
  const { config, flags, print } = input
  const { manifest, compared } = await withBackup(input, async (backup) => {
    const { manifest } = backup
    migrationsFor(manifest)
    await openInstallation(manifest, backup)
    await checkFiles(backup)
    const { parts, missing } = manifest.blobs
    await checkBlobs({ ...backup, file: blobListFile(manifest), parts, missing })
    const compared = await withSession(config, (client, connection) =>
      withScratchDatabase(client, connection, (scratch) => loadAndCompare(scratch, backup)),
    )
    return { manifest, compared }
  })
  for (const line of flags.json ? [jsonOf(manifest, compared)] : linesOf(manifest, compared)) print(line)
  const different = compared.filter(({ isSame }) => !isSame)
  if (different.length > 0)
    throw new OperatorError(
      `${different.length} tables came back different: ${different.map(({ table }) => table.name).join(', ')}.`,
    )
}

const SCRATCH = 'verify_of_postwren_'

/** On the server of the settings, with nothing of anybody's in it. What a verification has left that was killed goes first. */
async function withScratchDatabase<Result>(
  admin: pg.ClientBase,
  connection: pg.ClientConfig,
  work: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const { rows } = await admin.query<{ name: string }>(
    `select datname::text as name from pg_database
     where starts_with(datname, $1) and pg_get_userbyid(datdba) = current_user`,
    [SCRATCH],
  )
  // One that is in use is that of a verification of another database on the same server.
  for (const { name } of rows) await admin.query(`drop database if exists ${identifier(name)}`).catch(() => {})
  const name = `${SCRATCH}${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${name} template template0`).catch((error) => {
    if (error.code !== '42501') throw error
    throw new OperatorError(
      'The role of POSTWREN_DATABASE_URL may not create a database to verify in: grant it CREATEDB, or unset POSTWREN_DATABASE_URL and set POSTWREN_DATA_DIR to an empty folder.',
      { cause: error },
    )
  })
  try {
    return await withClient(withDatabaseName(connection, name), work)
  } finally {
    await admin.query(`drop database if exists ${name} with (force)`)
  }
}

function withDatabaseName(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  if (connection.connectionString === undefined) return { ...connection, database }
  // `postgres://user:password@host1,host2/name?…`: several hosts are no URL for the parser of the platform.
  const connectionString = connection.connectionString.replace(
    /^([a-z]+:\/\/[^/?]*)(\/[^?]*)?(\?.*)?$/i,
    (_all, server: string, _name, query = '') => `${server}/${database}${query}`,
  )
  return { ...connection, connectionString }
}

async function loadAndCompare(client: pg.ClientBase, { progress, ...backup }: OpenBackup): Promise<Compared[]> {
  await loadDatabase(client, { ...backup, progress, clock: systemClock })
  const tables = new Map((await listTables(client)).filter(isKept).map((table) => [table.name, table]))
  progress.begin(
    'Comparing',
    backup.manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  const compared: Compared[] = []
  for (const table of backup.manifest.tables) {
    const fingerprint = new Fingerprint()
    // In the order of the backup's columns.
    const { columns } = table
    const rows = await copyOut(
      client,
      `copy (${selectAll({ ...tables.get(table.name)!, columns })}) to stdout`,
      (bytes) => {
        fingerprint.add(bytes)
        progress.add(bytes.length)
      },
    )
    compared.push({ table, rows, isSame: rows === table.rows && fingerprint.digest() === table.fingerprint })
  }
  return compared
}

const jsonOf = ({ name, created_at, blobs }: Manifest, compared: readonly Compared[]) =>
  JSON.stringify({
    ...{ object: 'verified_backup', name, created_at, is_same: compared.every(({ isSame }) => isSame) },
    blobs: { count: blobs.count, bytes: blobs.bytes, missing: blobs.missing },
    tables: compared.map(({ table, rows, isSame }) => ({
      ...{ name: table.name, rows_in_backup: table.rows, rows_restored: rows, bytes: table.bytes, is_same: isSame },
    })),
  })

function linesOf({ name, blobs }: Manifest, compared: readonly Compared[]): string[] {
  const rows = compared.reduce((sum, { table }) => sum + table.rows, 0)
  const isSame = compared.every((one) => one.isSame)
  return [
    ...tableOf(
      compared.map(({ table, rows, isSame }) => ({
        TABLE: table.name,
        'IN BACKUP': String(table.rows),
        RESTORED: String(rows),
        SIZE: sizeOf(table.bytes),
        CONTENT: isSame ? 'same' : 'DIFFERENT',
      })),
    ),
    '',
    ...(isSame
      ? [
          `Backup ${name} is good: ${rows} rows of ${compared.length} tables came back the same, ${blobs.count} blobs can be opened.`,
        ]
      : []),
    ...(blobs.missing > 0 ? [`${blobs.missing} blobs were missing in the blob store when the backup was made.`] : []),
  ]
}
