import type pg from 'pg'
import { identifier, listTables, planLoading, rowsOnlyOf, type Table } from '../../../kernel/db/catalog.ts'
import { copyIn } from '../../../kernel/db/copy.ts'
import { migrateWithin } from '../../../kernel/db/migrate.ts'
import { MIGRATION_LOCK } from '../../../kernel/db/migration-lock.ts'
import { findApplied, type Migration, schemaState } from '../../../kernel/db/schema-state.ts'
import type { Clock } from '../../../platform/clock.ts'
import { OperatorError } from '../command.ts'
import type { Progress } from '../progress.ts'
import { type BackupKey, DamagedBackup } from './backup-key.ts'
import { isKept } from './dump.ts'
import { Fingerprint } from './fingerprint.ts'
import { type BackedUpTable, type Manifest, tableFile } from './manifest.ts'
import { readParts } from './parts.ts'
import type { BackupStore } from './store.ts'

export interface LoadOptions {
  readonly manifest: Manifest
  readonly store: BackupStore
  readonly key: BackupKey
  readonly clock: Clock
  readonly progress: Progress
}

/** The migrations that the backup has seen, and those that came with later versions. */
export function migrationsFor({ migrations, name, version }: Manifest): { before: Migration[]; after: Migration[] } {
  const { unknown, changed } = schemaState(migrations)
  if (unknown.length > 0)
    throw new OperatorError(
      `The backup ${name} was made by a newer Postwren (${version}, ${unknown.at(-1)}): restore it with that version or a later one.`,
    )
  if (changed.length > 0)
    throw new OperatorError(`The backup ${name} is of another Postwren: migration ${changed[0]} is not the same there.`)
  const seen = new Set(migrations.map((one) => one.name))
  const all = schemaState([]).missing
  return { before: all.filter((one) => seen.has(one.name)), after: all.filter((one) => !seen.has(one.name)) }
}

/**
 * Begins a transaction and fills an empty database with the rows of the backup. The caller commits: whatever ends before that leaves the
 * database as empty as it was.
 */
export async function loadDatabase(client: pg.ClientBase, options: LoadOptions) {
  const { manifest, clock, progress } = options
  const { before } = migrationsFor(manifest)
  await client.query('begin')
  // Whoever starts meanwhile waits, and finds everything.
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  const isBare = await requireEmpty(client, manifest)
  if (isBare) await migrateWithin(client, before, clock)
  await client.query(`set local maintenance_work_mem = '256MB'`)
  const tables = (await listTables(client)).filter(isKept)
  requireSameTables(manifest, tables)
  const { away, back } = await planLoading(client, tables)
  for (const statement of away) await client.query(statement)
  progress.begin(
    'Database',
    manifest.tables.reduce((sum, { bytes }) => sum + bytes, 0),
  )
  for (const table of manifest.tables) await loadTable(client, table, options)
  progress.begin('Indexes', back.length)
  for (const statement of back) {
    await client.query(statement)
    progress.add(1)
  }
  // Older programs must not start on bodies that are packed already.
  if (manifest.migrations.some(({ name }) => name === '0105_compact_rows.sql'))
    await client.query('select note_compact_rows()')
  for (const { name, value } of manifest.sequences)
    if (value !== null) await client.query('select setval($1::regclass, $2::bigint)', [identifier(name), value])
}

/** True: there is nothing at all. False: `postwren migrate` was here, and nobody else. */
export async function requireEmpty(client: pg.ClientBase, manifest: Manifest): Promise<boolean> {
  const tables = await listTables(client)
  if (tables.length === 0) return true
  for (const table of tables.filter(({ name }) => name !== 'schema_migrations')) {
    const { rows } = await client.query(`select 1 from ${rowsOnlyOf(table)} limit 1`)
    if (rows.length > 0)
      throw new OperatorError(
        `The database is not empty: table ${table.name} has rows. Restore into a new database or another POSTWREN_DATA_DIR.`,
      )
  }
  const applied = await findApplied(client)
  const names = (list: readonly { name: string }[]) =>
    list
      .map(({ name }) => name)
      .sort()
      .join()
  if (applied && names(applied) === names(manifest.migrations)) return false
  throw new OperatorError(
    'The database has tables of another version of Postwren. Restore into a new database or another POSTWREN_DATA_DIR.',
  )
}

function requireSameTables(manifest: Manifest, tables: readonly Table[]) {
  const describe = (list: readonly Pick<Table, 'name' | 'columns'>[]) =>
    new Map(list.map(({ name, columns }) => [name, [...columns].sort().join()]))
  const [inBackup, here] = [describe(manifest.tables), describe(tables)]
  const different = [...new Set([...inBackup.keys(), ...here.keys()])].find(
    (name) => inBackup.get(name) !== here.get(name),
  )
  if (different !== undefined)
    throw new OperatorError(
      `The backup ${manifest.name} cannot be restored: its table ${different} is not the one of Postwren ${manifest.version}.`,
    )
}

async function loadTable(client: pg.ClientBase, table: BackedUpTable, options: LoadOptions) {
  const { manifest, progress } = options
  const fingerprint = new Fingerprint()
  const file = tableFile(manifest, table.name)
  async function* rowsOf() {
    for await (const bytes of readParts({ ...options, file }, table.parts)) {
      fingerprint.add(bytes)
      progress.add(bytes.length)
      yield bytes
    }
  }
  const columns = table.columns.map(identifier).join(', ')
  const rows = await copyIn(client, `copy ${identifier(table.name)} (${columns}) from stdin`, rowsOf())
  if (rows !== table.rows || fingerprint.digest() !== table.fingerprint)
    throw new DamagedBackup(`${file} of the backup is damaged: ${rows} of ${table.rows} rows were restored.`)
}
