import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { keepDigestKey } from '../../../features/cells/index.ts'
import { releaseHeldBy } from '../../../features/webhooks/delivery/queries.ts'
import { takeNamed } from '../../../kernel/blobs/loose-blobs.ts'
import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import { OperatorError, oneLine } from '../command.ts'
import type { Progress } from '../progress.ts'
import { type Kind, readKinds } from './catalogue.ts'
import { fileOf, type Manifest, SECRETS } from './format.ts'
import { importBlobs } from './import-blobs.ts'
import { beginTeams, deleteUnfinished, finishTeams, type ImportedTeam, readTeams } from './import-teams.ts'
import { type InsertContext, type Inserted, insertPeople, insertRows, NO_NODE } from './insert-rows.ts'
import { readLines, readObjects } from './lines.ts'
import { requireFiles } from './read-manifest.ts'
import { DIGEST_KEYS, type Envelope, isDigestKey, SEALED_COLUMNS, type SecretLine } from './secrets.ts'

export interface ImportParts {
  readonly db: Database
  readonly blobs: BlobStore
  readonly sealer: Sealer
  readonly progress: Progress
}

export interface ImportOptions {
  readonly folder: string
  readonly manifest: Manifest
  /** How the secrets can be read; null: there are none. */
  readonly envelope: Envelope | null
  /** Another name for the only team of the export. */
  readonly teamName: string | undefined
}

export interface ImportReport {
  readonly teams: readonly ImportedTeam[]
  /** Rows by kind. */
  readonly rows: Readonly<Record<string, number>>
  readonly blobs: number
  readonly missingBlobs: number
  /** What waits until the teams are unsuspended. */
  readonly held: { readonly emails: number; readonly broadcasts: number; readonly webhookDeliveries: number }
  /** Kinds that this version does not know. */
  readonly ignored: readonly string[]
}

/** Any number, as long as it stays: one import at a time. */
const IMPORT_LOCK = 7_077_013

/** By then every process that runs has renewed its lease, and with it what it knows of suspended teams; or it claims nothing any more. */
const STATES_KNOWN_AFTER_MS = 3_000

/**
 * Imports an export: rows in one transaction, so that there is all of it or nothing, whenever the process ends. The teams are suspended.
 */
export async function readImport(parts: ImportParts, options: ImportOptions): Promise<ImportReport> {
  const { db } = parts
  const begun: string[] = []
  try {
    return await db.transaction(async (trx) => {
      await trx.query(sql`
        select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true),
          set_config('TimeZone', 'UTC', true)`)
      const [lock] = await trx.query<{ isOurs: boolean }>(
        sql`select pg_try_advisory_xact_lock(${IMPORT_LOCK}) as "isOurs"`,
      )
      if (!lock!.isOurs) throw new OperatorError('Another import is under way in this installation.')
      return importWithin(parts, trx, { ...options, begun })
    })
  } catch (error) {
    // After the transaction, whose rows refer to them.
    if (begun.length > 0) await deleteUnfinished(db, begun)
    throw error
  }
}

async function importWithin(
  parts: ImportParts,
  trx: Transaction,
  { begun, ...options }: ImportOptions & { readonly begun: string[] },
): Promise<ImportReport> {
  const { folder, manifest, teamName } = options
  const known = await readKinds((text) => trx.query(raw(text)))
  const kinds = known.filter(({ name }) => name in manifest.kinds)
  const teamsKind = kinds.find(({ name }) => name === 'teams')
  if (!teamsKind) throw new OperatorError(`${folder} has no teams.`)
  const names = kinds.map(({ name }) => name)
  await requireFiles(folder, manifest, names)
  requireSecrets(manifest, options.envelope)
  const { teams, rows } = await readTeams(folder, manifest, teamName)
  const ids = teams.map(({ id }) => id)
  const beganAt = performance.now()
  await beginTeams(parts.db, { kind: teamsKind, fields: manifest.kinds.teams!.fields, teams, rows })
  begun.push(...ids)
  const missing = await importBlobs(parts, { folder, manifest, teams: new Set(ids) })
  const counts = await importRows(parts, trx, { ...options, kinds: kinds.filter((kind) => kind !== teamsKind), ids })
  await takeBlobs(trx, { kinds, ids, missing })
  await finishTeams(trx, rows)
  const held = await countHeld(trx, ids)
  await waitForProcesses(trx, beganAt)
  return {
    ...{ teams, held, rows: { teams: teams.length, ...counts } },
    ...{ blobs: manifest.blobs.rows - missing.size, missingBlobs: missing.size },
    ignored: Object.keys(manifest.kinds).filter((name) => !names.includes(name)),
  }
}

function requireSecrets({ secrets, kinds }: Manifest, envelope: Envelope | null) {
  const sealed = Object.keys(SEALED_COLUMNS).filter((kind) => (kinds[kind]?.rows ?? 0) > 0)
  const digestKeys = secrets.digest_keys ?? 0
  if ((sealed.length > 0 || digestKeys > 0) && !envelope)
    throw new OperatorError(
      'This export was written without its secrets (DKIM keys, webhook signing secrets, the key of erased addresses), so it can be read but not imported. Export again with --with-secrets, or with POSTWREN_BACKUP_PASSPHRASE.',
    )
  const wanted = sealed.reduce((sum, kind) => sum + kinds[kind]!.rows, digestKeys)
  if (envelope && secrets.rows !== wanted)
    throw new OperatorError(`secrets.jsonl has ${secrets.rows} secrets, and ${wanted} are needed.`)
}

interface RowsToImport extends ImportOptions {
  readonly kinds: readonly Kind[]
  readonly ids: readonly string[]
}

async function importRows(parts: ImportParts, trx: Transaction, work: RowsToImport): Promise<Record<string, number>> {
  const { manifest, kinds, ids } = work
  await trx.query(
    raw(
      'create temp table imported_people (exported_id uuid primary key, id uuid not null, is_new boolean not null) on commit drop',
    ),
  )
  await trx.query(
    raw(
      'create temp table imported_secrets (kind text, key text, sealed bytea not null, primary key (kind, key)) on commit drop',
    ),
  )
  await importSecrets(parts, trx, work)
  const [state] = await trx.query<{ isEmpty: boolean }>(sql`select not exists (select from users) as "isEmpty"`)
  const context: InsertContext = {
    teams: ids,
    exportedAt: new Date(manifest.exported_at),
    isFirst: state!.isEmpty && manifest.scope === 'all',
  }
  const counts: Record<string, number> = {}
  for (const kind of kinds) {
    counts[kind.name] = await importKind(parts, trx, { ...work, kind, context })
    await AFTER[kind.name]?.(trx, ids)
  }
  return counts
}

/** Sealed with the key of this installation. */
async function importSecrets({ sealer }: ImportParts, trx: Transaction, { folder, manifest, envelope }: RowsToImport) {
  if (!envelope) return
  const path = join(folder, fileOf(SECRETS))
  for await (const lines of readObjects(path, manifest.secrets)) {
    const all = lines as unknown as SecretLine[]
    for (const line of all) if (line?.kind === DIGEST_KEYS) await importDigestKey(trx, sealer, { line, envelope, path })
    const sealed = all
      .filter((line) => line?.kind !== DIGEST_KEYS)
      .map(({ kind, key, value }) => {
        const column = SEALED_COLUMNS[kind]
        if (!column || typeof value !== 'string' || typeof key !== 'object' || key === null)
          throw new OperatorError(`${path}: not a secret.`)
        const secret = sealer.seal(envelope.unwrap(value, { kind, key }), column.contextOf(key))
        return { kind, key: Object.values(key).join(' '), sealed: secret.toString('base64') }
      })
    await trx.query(sql.write`
      insert into imported_secrets (kind, key, sealed)
      select kind, key, decode(sealed, 'base64')
      from json_to_recordset(${JSON.stringify(sealed)}::json) as given (kind text, key text, sealed text)`)
  }
}

async function importDigestKey(
  trx: Transaction,
  sealer: Sealer,
  { line, envelope, path }: { line: SecretLine; envelope: Envelope; path: string },
) {
  const { kind, key, value } = line
  const isLine = typeof value === 'string' && typeof key === 'object' && key !== null
  const opened = isLine ? envelope.unwrap(value, { kind, key }) : ''
  if (!isDigestKey(opened)) throw new OperatorError(`${path}: not a secret.`)
  await keepDigestKey(trx, sealer, Buffer.from(opened, 'hex'))
}

async function importKind(
  { progress }: ImportParts,
  trx: Transaction,
  { folder, manifest, kind, context }: RowsToImport & { kind: Kind; context: InsertContext },
): Promise<number> {
  const expected = manifest.kinds[kind.name]!
  const path = join(folder, fileOf(kind.name))
  const insert = kind.name === 'users' ? insertPeople : insertRows
  let added = 0
  for await (const { lines, number } of readLines(path, expected)) {
    const where = `${path}, lines ${number} to ${number + lines.length - 1}`
    const array = `[${Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [COMMA, line]))).toString('utf8')}]`
    const [done] = await trx
      .query<Inserted>(insert(kind, { fields: expected.fields, lines: array }, context))
      .catch((error) => Promise.reject(refusal(where, error)))
    if (done!.foreign > 0) throw new OperatorError(`${where}: rows of a team that is not in teams.jsonl.`)
    if (done!.foreignBlobs > 0) throw new OperatorError(`${where}: rows that name blobs of another team.`)
    added += done!.added
    progress.show(kind.name, number + lines.length - 1, expected.rows)
  }
  return added
}

const COMMA = Buffer.from(',')

/** What an installation can have only once, and has already. */
const TAKEN: Readonly<Record<string, string>> = {
  api_keys_token_unique:
    'an API key with the same token exists in this installation already. Revoke it here first: postwren key revoke',
  domains_name_unique:
    'a domain of this team belongs to another team of this installation already. Delete it there first.',
}

/** In PostgreSQL's words. What it says of a whole row would show what is in it, so only the key of a duplicate is told. */
function refusal(where: string, error: unknown): unknown {
  const { code, message, detail, severity, constraint = '' } = error as Record<string, string | undefined>
  if (!severity || /^(?:08|53|57|58|XX)/.test(code ?? '')) return error
  if (code === '23505' && TAKEN[constraint])
    return new OperatorError(`${where}: ${TAKEN[constraint]}`, { cause: error })
  const more = code === '23505' && detail ? ` ${detail}` : ''
  return new OperatorError(`${where}: ${oneLine(`${message}.${more}`).slice(0, 500)}`, { cause: error })
}

/** What the triggers of a table have written along, which the export has as it was. */
const AFTER: Readonly<Record<string, (trx: Transaction, ids: readonly string[]) => Promise<unknown>>> = {
  // Nobody processes these events again. Those that were pending are imported behind them.
  async outbox(trx, ids) {
    await trx.query(sql.write`delete from outbox_notes where team_id = any (${ids}::uuid[])`)
    await trx.query(sql.write`delete from outbox_batches where team_id = any (${ids}::uuid[])`)
  },
  inbox_drafts: (trx, ids) =>
    trx.query(sql`
      select add_inbox_drafts(array(
        select (team_id, inbox_id, thread_id, -1)::inbox_draft_change from inbox_drafts
        where team_id = any (${ids}::uuid[]) and sent_at is null))`),
  // What was in flight is due again, as if its process had ended.
  webhook_batches: (trx) => releaseHeldBy(trx, [NO_NODE]),
}

async function takeBlobs(
  trx: Transaction,
  { kinds, ids, missing }: { kinds: readonly Kind[]; ids: readonly string[]; missing: ReadonlySet<string> },
) {
  for (const kind of kinds)
    for (const column of kind.blobs) {
      const untaken = await takeNamed(
        trx,
        sql`select ${raw(column)} as key from ${raw(kind.name)} where team_id = any (${ids}::uuid[]) and ${raw(column)} is not null`,
      )
      const lost = untaken.find((key) => !missing.has(key))
      if (lost) throw new OperatorError(`${fileOf(kind.name)} names the blob ${lost}, which is not in blobs.jsonl.`)
    }
}

async function countHeld(trx: Transaction, ids: readonly string[]): Promise<ImportReport['held']> {
  const [held] = await trx.query<ImportReport['held']>(sql`
    select (select count(distinct email_id) from deliveries where team_id = any (${ids}::uuid[]) and state = 'waiting')::int as emails,
      (select count(*) from broadcasts where team_id = any (${ids}::uuid[]) and status in ('scheduled', 'queued'))::int as broadcasts,
      (select count(*) from webhook_deliveries where team_id = any (${ids}::uuid[]) and state = 'pending')::int as "webhookDeliveries"`)
  return held!
}

async function waitForProcesses(trx: Transaction, began: number) {
  const nodes = await trx.query(sql`select from nodes limit 1`)
  const restMs = began + STATES_KNOWN_AFTER_MS - performance.now()
  if (nodes.length > 0 && restMs > 0) await wait(restMs)
}
