import { createHash } from 'node:crypto'
import type pg from 'pg'
import packageJson from '../../../../package.json' with { type: 'json' }
import { openBlobStore } from '../../../adapters/blobs/open-blob-store.ts'
import { findSecretKeys, readMark } from '../../../kernel/secrets.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { CommandInput } from '../command.ts'
import { OperatorError } from '../command.ts'
import { Progress, sizeOf } from '../progress.ts'
import { makeBackupKey, openBackupKey } from './backup-key.ts'
import { type CopiedBlobs, saveBlobs } from './blobs.ts'
import { dumpDatabase } from './dump.ts'
import { readInstallation, saveInstallation } from './installation.ts'
import { backupName, blobListFile, isComplete, listBackups, type Manifest, writeManifest } from './manifest.ts'
import { openBackupStore, requirePassphrase } from './open-store.ts'
import { withSession } from './session.ts'
import type { BackupStore } from './store.ts'

export async function makeBackup({ config, environment, flags, print }: CommandInput) {
  const passphrase = requirePassphrase(config.BACKUP_PASSPHRASE)
  const { store, close } = await openBackupStore('--to', flags.to, config.BACKUP_URL)
  const progress = new Progress()
  try {
    const { manifest, blobs } = await withSession(config, async (client) => {
      const secretKey = await requireSecretKey(client, config)
      const key = (await openBackupKey(store, passphrase)) ?? (await makeBackupKey(store, passphrase))
      const createdAt = systemClock.now()
      const name = await beginBackup(store, createdAt, await installationOf(client))
      const settings = await saveInstallation(readInstallation(config, environment, secretKey), name, { store, key })
      const { blobList, ...dump } = await dumpDatabase(client, { store, key, name, progress })
      const list = { store, key, file: blobListFile({ name }), parts: blobList, progress }
      const blobs = await saveBlobs(await openBlobStore(config), list)
      const manifest: Manifest = {
        ...{ format: 1, name, created_at: createdAt.toISOString(), version: packageJson.version, ...dump },
        blobs: { count: blobs.count, bytes: blobs.bytes, missing: blobs.missingCount, parts: blobList },
        settings,
      }
      // Last: a backup without it is none.
      await writeManifest(store, key, manifest)
      return { manifest, blobs }
    })
    progress.end()
    report({ manifest, blobs, address: store.address, isJson: flags.json === true, print })
  } finally {
    progress.end()
    await close()
  }
}

/** A backup without the key would be one whose secrets nobody can open. */
async function requireSecretKey(client: pg.ClientBase, config: CommandInput['config']): Promise<string> {
  const mark = await readMark(client)
  const key = findSecretKeys(config, mark)?.current
  if (key === undefined)
    throw new OperatorError('There is nothing to back up: Postwren has not been started with this database yet.')
  return key
}

/** Tells backups of one database from those of others in the same folder. */
async function installationOf(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ oid: string; name: string }>(
    'select oid::text as oid, datname::text as name from pg_database where datname = current_database()',
  )
  const mark = (await readMark(client)) ?? Buffer.alloc(0)
  return createHash('sha256').update(mark).update(JSON.stringify(rows[0])).digest('hex').slice(0, 8)
}

/** The name of the new backup. What earlier ones of this database have left when they were cut off is removed: none of them runs now. */
async function beginBackup(store: BackupStore, createdAt: Date, installation: string): Promise<string> {
  const known = await listBackups(store)
  for (const name of known)
    if (name.endsWith(`-${installation}`) && !(await isComplete(store, name))) await store.removeFolder(name)
  for (let at = createdAt; ; at = new Date(at.getTime() + 1_000)) {
    const name = backupName(at, installation)
    if (!known.includes(name)) return name
  }
}

interface Report {
  readonly manifest: Manifest
  readonly blobs: CopiedBlobs & { missingCount: number }
  readonly address: string
  readonly isJson: boolean
  print(line: string): void
}

function report({ manifest, blobs, address, isJson, print }: Report) {
  const { name, created_at, tables } = manifest
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = tables.reduce((sum, { parts }) => sum + parts.reduce((all, part) => all + part.bytes, 0), 0)
  if (blobs.missingCount > 0)
    process.stderr.write(
      `${blobs.missingCount} blobs are missing in the blob store and in this backup: ${blobs.missing.join(', ')}${blobs.missingCount > blobs.missing.length ? ', …' : ''}\n`,
    )
  if (isJson)
    return print(
      JSON.stringify({
        ...{
          object: 'backup',
          name,
          created_at,
          location: address,
          tables: tables.length,
          rows,
          database_bytes: bytes,
        },
        blobs: { count: blobs.count, bytes: blobs.bytes, known: blobs.known, missing: blobs.missingCount },
      }),
    )
  print(
    `Backup ${name} in ${address}: ${rows} rows of ${tables.length} tables (${sizeOf(bytes)}), ${blobs.count} blobs (${sizeOf(blobs.bytes)}, ${blobs.count - blobs.known} of them new).`,
  )
}
