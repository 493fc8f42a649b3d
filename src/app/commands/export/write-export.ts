import type pg from 'pg'
import packageJson from '../../../../package.json' with { type: 'json' }
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { copyLines } from '../../../kernel/db/copy.ts'
import { DIGESTS, type Sealer } from '../../../kernel/secrets.ts'
import { ERASED_DOMAIN } from '../../../mail/address-pattern.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Progress } from '../progress.ts'
import { type Kind, type RunText, readKinds } from './catalogue.ts'
import type { ExportFolder } from './folder.ts'
import { FORMAT, lastMigration, type Manifest, SECRETS, type SecretsMode } from './format.ts'
import { isPacked, unpackedBytes } from './packed-lines.ts'
import { Scope } from './scope.ts'
import { DIGEST_KEYS, type Envelope, openLine, SEALED_COLUMNS, type SecretLine } from './secrets.ts'

export interface ExportParts {
  /** A session of its own: the export is one transaction. */
  readonly client: pg.Client
  readonly clock: Clock
  readonly blobs: BlobStore
  readonly sealer: Sealer
  readonly folder: ExportFolder
  readonly progress: Progress
}

export interface ExportOptions {
  /** Null: all of them. */
  readonly team: string | null
  /** How secrets are written; null: not at all. */
  readonly envelope: Envelope | null
}

/** Writes what the database shows at one moment. */
export async function writeExport(parts: ExportParts, { team, envelope }: ExportOptions): Promise<Manifest> {
  const { client, folder } = parts
  const run: RunText = async (text) => (await client.query(text)).rows
  const exportedAt = parts.clock.now()
  await run('begin transaction isolation level repeatable read, read only')
  const kinds = await readKinds(run)
  const scope = new Scope(team, kinds)
  const files: Record<string, Manifest['kinds'][string]> = {}
  for (const kind of kinds) files[kind.name] = await writeKind(parts, scope, kind)
  const secrets = await writeSecrets(parts, { scope, kinds, envelope })
  const blobs = await writeBlobs(parts, scope, kinds)
  const manifest: Manifest = {
    object: 'export',
    format: FORMAT,
    version: packageJson.version,
    schema: await lastMigration(run),
    exported_at: exportedAt.toISOString(),
    scope: team === null ? 'all' : 'team',
    teams: files.teams!.rows,
    kinds: files,
    secrets,
    blobs,
  }
  await run('commit')
  await folder.finish(manifest)
  return manifest
}

async function writeKind({ client, folder, progress }: ExportParts, scope: Scope, kind: Kind) {
  const file = await folder.create(kind.name)
  for await (const lines of copyLines(client, scope.linesOf(kind))) {
    await file.add(isPacked(kind) ? lines.map((line) => unpackedBytes(kind, line)) : lines)
    progress.show(kind.name, file.rows)
  }
  return { ...(await file.close()), fields: kind.columns.map(({ name }) => name) }
}

const SECRETS_AT_ONCE = 500

async function writeSecrets(
  { client, folder, sealer }: ExportParts,
  { scope, kinds, envelope }: { scope: Scope; kinds: readonly Kind[]; envelope: Envelope | null },
): Promise<Manifest['secrets']> {
  const file = await folder.create(SECRETS)
  for (const kind of envelope ? kinds : []) {
    const sealed = SEALED_COLUMNS[kind.name]
    if (!sealed) continue
    const keys = kind.primaryKey.map((column) => `"${column}"::text`).join(', ')
    await client.query(
      `declare secrets cursor for select ${keys}, "${sealed.column}" as sealed from ${kind.name} where ${scope.conditionOf(kind)}`,
    )
    for (;;) {
      const { rows } = await client.query(`fetch ${SECRETS_AT_ONCE} from secrets`)
      for (const { sealed: bytes, ...key } of rows) {
        const line = { kind: kind.name, key }
        await file.addObject({ ...line, value: envelope!.wrap(openLine(sealer, line, bytes), line) })
      }
      if (rows.length === 0) break
    }
    await client.query('close secrets')
  }
  const digestKeys = await writeDigestKeys({ client, sealer }, { scope, kinds }, async (line, key) => {
    if (envelope) await file.addObject({ ...line, value: envelope.wrap(key, line) })
  })
  const mode: SecretsMode = envelope === null ? 'left_out' : envelope.salt === null ? 'plain' : 'sealed'
  return {
    ...(await file.close()),
    mode,
    salt: envelope?.salt ?? null,
    ...(digestKeys > 0 && { digest_keys: digestKeys }),
  }
}

/** What the digests of erased addresses are of, if there are any: without it nobody could tell whom not to write to. Gives how many. */
async function writeDigestKeys(
  { client, sealer }: Pick<ExportParts, 'client' | 'sealer'>,
  { scope, kinds }: { scope: Scope; kinds: readonly Kind[] },
  write: (line: Omit<SecretLine, 'value'>, key: string) => Promise<void>,
): Promise<number> {
  const kind = kinds.find(({ name }) => name === 'suppressions')!
  const { rowCount } = await client.query(
    `select from suppressions where ${scope.conditionOf(kind)} and email like '%@${ERASED_DOMAIN}' limit 1`,
  )
  if (!rowCount) return 0
  const keys = sealer.deriveKeys(DIGESTS)
  for (const [number, key] of keys.entries())
    await write({ kind: DIGEST_KEYS, key: { number: String(number) } }, key.toString('hex'))
  return keys.length
}

const BLOBS_AT_ONCE = 8

/** The content of attachments, raw messages and images. What a cut export had written already is not read again. */
async function writeBlobs(parts: ExportParts, scope: Scope, kinds: readonly Kind[]): Promise<Manifest['blobs']> {
  const { client, folder, progress } = parts
  const file = await folder.create('blobs')
  let contentBytes = 0
  let missing = 0
  const writeAll = async (keys: readonly string[]) => {
    const written = await Promise.all(keys.map((key) => writeBlob(parts, key)))
    for (const [index, blob] of written.entries()) {
      const key = keys[index]!
      if (blob) contentBytes += blob.bytes
      else missing++
      await file.addObject(blob ? { key, size: blob.bytes, sha256: blob.sha256 } : { key, size: null, sha256: null })
    }
    progress.show('blobs', file.rows)
  }
  for (const kind of kinds)
    for (const column of kind.blobs)
      for await (const lines of copyLines(client, scope.blobsOf(kind, column))) {
        const keys = lines.map((line) => line.subarray(0, -1).toString('utf8'))
        for (let at = 0; at < keys.length; at += BLOBS_AT_ONCE) await writeAll(keys.slice(at, at + BLOBS_AT_ONCE))
      }
  return { ...(await file.close()), content_bytes: contentBytes, missing }
}

async function writeBlob({ blobs, folder }: ExportParts, key: string) {
  const written = await folder.findBlob(key)
  if (written) return written
  const content = await blobs.open(key)
  return content && folder.writeBlob(key, content)
}
