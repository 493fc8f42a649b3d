import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { assetPath } from '../../platform/assets.ts'
import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** The schema is not one that this program may work with. Told to the operator as it is. */
export class SchemaError extends Error {}

export interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
  /** Whether programs that do not know it cannot work any more. Those who do not say so mean yes. */
  readonly isContraction?: boolean
}

/** The column came later than the table, and is missing until a program that knows it has migrated. */
export const SELECT_APPLIED = `
  select name, checksum, coalesce((to_jsonb(m) ->> 'is_contraction')::boolean, true) as "isContraction" from schema_migrations m`

/** What the first line of a migration says. One that says nothing is an expansion: older programs go on working, and may start again. */
export const isContraction = ({ text }: Migration): boolean => text.startsWith('-- contract: ')

/** One statement that PostgreSQL runs outside of a transaction, such as an index that is made concurrently. */
export const isWithoutTransaction = ({ text }: Migration): boolean => text.startsWith('-- no transaction')

/** Null: the database has no tables yet. */
export async function findApplied(client: pg.ClientBase): Promise<AppliedMigration[] | null> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('schema_migrations') is not null as "isThere"`,
  )
  return rows[0]!.isThere ? (await client.query<AppliedMigration>(SELECT_APPLIED)).rows : null
}

/** For what waits until no process of a version before a migration is left. */
export async function wasApplied(db: Queryable, { name, before }: { name: string; before: Date }): Promise<boolean> {
  const rows = await db.query(sql`
    select m.name from schema_migrations m where m.name = ${name} and m.applied_at < ${before}`)
  return rows.length > 0
}

/** How the schema of a database compares with the one that this program knows. */
export interface SchemaState {
  /** Those that would run, in order. */
  readonly missing: readonly Migration[]
  /** Names that this program has never heard of: a newer one has been here. */
  readonly unknown: readonly string[]
  /** Those of them after which this program cannot work. */
  readonly contractions: readonly string[]
  /** Names whose text is not the one that ran. */
  readonly changed: readonly string[]
}

export function schemaState(applied: readonly AppliedMigration[], known = readMigrations()): SchemaState {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  const names = new Set(known.map(({ name }) => name))
  const unknown = applied.filter(({ name }) => !names.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    missing: known.filter(({ name }) => !checksums.has(name)),
    unknown: unknown.map(({ name }) => name),
    contractions: unknown.filter((one) => one.isContraction ?? true).map(({ name }) => name),
    changed: known.filter((one) => (checksums.get(one.name) ?? one.checksum) !== one.checksum).map(({ name }) => name),
  }
}

/** Why this program must not work on such a schema, or null. */
export function objectionTo({ contractions, changed }: SchemaState): SchemaError | null {
  if (contractions.length > 0)
    return new SchemaError(
      `The database was migrated by a newer Postwren (${contractions.at(-1)}): start that version or a later one, or restore a backup from before the upgrade.`,
    )
  if (changed.length > 0)
    return new SchemaError(`Migration ${changed[0]} was changed after it ran; migrations only go forward.`)
  return null
}

/** What operators should know of a schema that this program can work with, or null. */
export const newerSchema = ({ unknown }: SchemaState): string | null =>
  unknown.length === 0
    ? null
    : `The database was migrated by a newer Postwren (${unknown.at(-1)}). This version can work with it.`

function readMigrations(): Migration[] {
  const folder = assetPath('migrations')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    })
}
