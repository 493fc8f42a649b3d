import { OperatorError } from '../command.ts'
import { type BackupStore, FolderStore } from './store.ts'

interface OpenStore {
  readonly store: BackupStore
  close(): Promise<void>
}

/** The folder of `--to` or `--from`, or the bucket of the settings. */
export async function openBackupStore(
  flag: '--to' | '--from',
  given: string | boolean | undefined,
  url: string | undefined,
): Promise<OpenStore> {
  const folder = given === undefined ? undefined : String(given)
  // A process list shows the words of every command.
  if (folder !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(folder))
    throw new OperatorError(`${flag} takes a folder. For S3 set POSTWREN_BACKUP_URL instead.`)
  if (folder === '' || (folder === undefined && url === undefined))
    throw new OperatorError(`Missing ${flag} DIR. For S3 set POSTWREN_BACKUP_URL.`)
  if (folder !== undefined) {
    const store = new FolderStore(folder)
    if (flag === '--to') await store.requireWritable()
    return { store, close: async () => {} }
  }
  const { S3Store } = await import('./s3-store.ts')
  const store = new S3Store(url!)
  return { store, close: () => store.close() }
}

export function requirePassphrase(passphrase: string | undefined): string {
  if (passphrase !== undefined) return passphrase
  throw new OperatorError('POSTWREN_BACKUP_PASSPHRASE is not set: backups are encrypted with it.')
}
