import type pg from 'pg'
import { identifier, listSequences, listTables, rowsOnlyOf, selectAll, type Table } from '../../../kernel/db/catalog.ts'
import { copyOut } from '../../../kernel/db/copy.ts'
import { MIGRATION_LOCK, pollLock } from '../../../kernel/db/migration-lock.ts'
import { findApplied } from '../../../kernel/db/schema-state.ts'
import { OperatorError } from '../command.ts'
import type { Progress } from '../progress.ts'
import type { BackupKey } from './backup-key.ts'
import { Fingerprint } from './fingerprint.ts'
import { type BackedUpTable, blobListFile, type Manifest, tableFile } from './manifest.ts'
import { PartWriter } from './parts.ts'
import type { BackupStore } from './store.ts'

/** The manifest has the list of migrations; nodes are processes of the old installation; and which backup this one came from is its own affair. */
const LEFT_OUT = ['schema_migrations', 'nodes', 'restored_backups']

export const isKept = ({ name }: Pick<Table, 'name'>) => !LEFT_OUT.includes(name)

export interface DumpOptions {
  readonly store: BackupStore
  readonly key: BackupKey
  readonly name: string
  readonly progress: Progress
}

type Dump = Pick<Manifest, 'postgres' | 'migrations' | 'tables' | 'sequences'> & {
  blobList: Manifest['blobs']['parts']
}

/**
 * Everything in the database as of one moment, beside whoever works with it. A version that has to migrate waits until it is done: it would
 * change tables that are still to be read, and keep everybody else from those that were.
 */
export async function dumpDatabase(client: pg.ClientBase, options: DumpOptions): Promise<Dump> {
  // Before the transaction: its first statement takes the snapshot, and a migration may be under way.
  await pollLock(async () => {
    const { rows } = await client.query('select pg_try_advisory_lock_shared($1) as "isLocked"', [MIGRATION_LOCK])
    return rows[0].isLocked
  })
  const dump = await dumpSnapshot(client, options)
  await client.query('select pg_advisory_unlock_shared($1)', [MIGRATION_LOCK])
  return dump
}

async function dumpSnapshot(client: pg.ClientBase, options: DumpOptions): Promise<Dump> {
  await client.query('begin isolation level repeatable read read only')
  const migrations = await findApplied(client)
  if (!migrations) throw new OperatorError('The database has no tables: there is nothing to back up.')
  const tables = (await listTables(client)).filter(isKept)
  options.progress.begin(
    'Database',
    tables.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  const dumped: BackedUpTable[] = []
  for (const table of tables) dumped.push(await dumpTable(client, table, options))
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version') as version`)
  const dump = {
    postgres: rows[0]!.version,
    migrations: migrations.map(({ name, checksum }) => ({ name, checksum })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    tables: dumped,
    // After the rows: a sequence belongs to no snapshot, and must not be behind a number that a row has.
    sequences: await listSequences(client),
    blobList: await dumpBlobList(client, tables, options),
  }
  await client.query('commit')
  return dump
}

async function dumpTable(client: pg.ClientBase, table: Table, options: DumpOptions): Promise<BackedUpTable> {
  const writer = new PartWriter({ ...options, file: tableFile(options, table.name) })
  const fingerprint = new Fingerprint()
  const rows = await copyOut(client, `copy (${selectAll(table)}) to stdout`, (bytes) => {
    fingerprint.add(bytes)
    options.progress.add(bytes.length)
    return writer.write(bytes)
  })
  const parts = await writer.end()
  if (fingerprint.lines !== rows) throw new Error(`${table.name} has ${rows} rows, and ${fingerprint.lines} came`)
  const { name, columns } = table
  return { name, columns: [...columns], rows, bytes: writer.bytes, fingerprint: fingerprint.digest(), parts }
}

/** The keys of all blobs that a row names, in the snapshot of the rows. */
async function dumpBlobList(client: pg.ClientBase, tables: readonly Table[], options: DumpOptions) {
  const columns = tables.flatMap((table) => table.blobColumns.map((column) => ({ table, column })))
  if (columns.length === 0) return []
  const keys = columns.map(({ table, column }) => {
    const name = identifier(column)
    return `select ${name} collate "C" as key from ${rowsOnlyOf(table)} where ${name} is not null`
  })
  const writer = new PartWriter({ ...options, file: blobListFile(options) })
  await copyOut(client, `copy (${keys.join(' union ')} order by key) to stdout`, (bytes) => writer.write(bytes))
  return writer.end()
}
