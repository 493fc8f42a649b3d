import { openBlobStore } from '../../../adapters/blobs/open-blob-store.ts'
import { migrateWithin } from '../../../kernel/db/migrate.ts'
import { finishRestored, noteRestored, type RestoredBackup } from '../../../kernel/db/restored-backup.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type CommandInput, OperatorError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { Progress } from '../progress.ts'
import { type BackupKey, openBackupKey } from './backup-key.ts'
import { restoreBlobs } from './blobs.ts'
import { openInstallation, requireSameKey, restoreInstallation } from './installation.ts'
import { loadDatabase, migrationsFor, requireEmpty } from './load.ts'
import { blobListFile, findManifest, type Manifest, partName, tableFile } from './manifest.ts'
import { openBackupStore, requirePassphrase } from './open-store.ts'
import { readStored } from './parts.ts'
import { withSession } from './session.ts'
import type { BackupStore } from './store.ts'
import { describeHold, readWaiting } from './waiting.ts'

export async function restoreBackup(input: CommandInput) {
  if (input.flags.finish) return finish(input)
  const { config, flags, print } = input
  const restored = await withBackup(input, (backup) => restore(config, backup))
  const waiting = await withDatabase(config, readWaiting)
  const { name, madeAt, restoredAt, settings, ...counts } = restored
  if (flags.json)
    return print(
      JSON.stringify({
        ...{ object: 'restored_backup', name, created_at: madeAt.toISOString(), restored_at: restoredAt.toISOString() },
        ...{ ...counts, settings_file: settings, hold: 'on', waiting },
      }),
    )
  print(`Restored ${counts.rows} rows of ${counts.tables} tables and ${counts.blobs} blobs.`)
  print(`The settings of the old installation are in ${settings}: take over what is right here.`)
  for (const line of describeHold(restored, waiting)) print(line)
}

/** A backup that was found and can be opened. */
export interface OpenBackup {
  readonly store: BackupStore
  readonly key: BackupKey
  readonly manifest: Manifest
  readonly progress: Progress
}

export async function withBackup<Result>(
  { config, flags }: Pick<CommandInput, 'config' | 'flags'>,
  work: (backup: OpenBackup) => Promise<Result>,
): Promise<Result> {
  const passphrase = requirePassphrase(config.BACKUP_PASSPHRASE)
  const { store, close } = await openBackupStore('--from', flags.from, config.BACKUP_URL)
  const progress = new Progress()
  try {
    const key = await openBackupKey(store, passphrase)
    if (!key) throw new OperatorError(`There is no backup in ${store.address}.`)
    const manifest = await findManifest(store, key, flags.name === undefined ? undefined : String(flags.name))
    return await work({ store, key, manifest, progress })
  } finally {
    progress.end()
    await close()
  }
}

/** Before hours of work: each file is there, and as it was written. */
export async function checkFiles({ store, manifest, progress }: OpenBackup) {
  const files = manifest.tables.flatMap(({ name, parts }) =>
    parts.map((part, index) => ({ file: partName(tableFile(manifest, name), index), part })),
  )
  progress.begin('Checking', files.length)
  for (const { file, part } of files) {
    await readStored({ store, file }, part)
    progress.add(1)
  }
}

/** Blobs first, the commit last: a committed restore is complete, and one that was interrupted can be repeated. */
async function restore(config: Config, backup: OpenBackup) {
  const { store, key, manifest, progress } = backup
  const { after } = migrationsFor(manifest)
  const installation = await openInstallation(manifest, backup)
  requireSameKey(config, installation)
  await checkFiles(backup)
  return withSession(config, async (client) => {
    await requireEmpty(client, manifest)
    const { parts, missing } = manifest.blobs
    const list = { store, key, file: blobListFile(manifest), parts, progress, missing }
    await restoreBlobs(await openBlobStore(config), list)
    await loadDatabase(client, { ...backup, clock: systemClock })
    await migrateWithin(client, after, systemClock)
    const restored: RestoredBackup = {
      name: manifest.name,
      madeAt: new Date(manifest.created_at),
      restoredAt: systemClock.now(),
    }
    await noteRestored(client, restored)
    const settings = restoreInstallation(config, installation)
    await client.query('commit')
    // Without it the first statements would be planned for empty tables.
    progress.begin('Statistics', 0)
    await client.query('analyze')
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    return { ...restored, settings, rows, tables: manifest.tables.length, blobs: manifest.blobs.count }
  })
}

async function finish({ config, flags, print }: CommandInput) {
  const { restored, waiting } = await withDatabase(config, async (db) => ({
    waiting: await readWaiting(db),
    restored: await finishRestored(db),
  }))
  if (flags.json)
    return print(JSON.stringify({ object: 'restored_backup', name: restored?.name ?? null, hold: 'off', waiting }))
  print(
    restored
      ? `The restore of ${restored.name} is finished. Mail to ${waiting.recipients} recipients and ${waiting.webhooks} webhook deliveries go with the next start.`
      : 'There is no restore to finish: nothing is on hold because of one.',
  )
}
