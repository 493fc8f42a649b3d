import { type Command, JSON_FLAG } from '../command.ts'

export const backup: Command = {
  name: 'backup',
  usage: '--to DIR [--json]',
  summary:
    'Back up database, blobs, settings and secret key into a folder, encrypted with POSTWREN_BACKUP_PASSPHRASE, while the service runs. Without --to into the bucket of POSTWREN_BACKUP_URL',
  options: { to: { type: 'string' }, ...JSON_FLAG },
  words: 0,
  run: async (input) => (await import('./make-backup.ts')).makeBackup(input),
}

export const restore: Command = {
  name: 'restore',
  usage: '--from DIR [--name BACKUP] [--json] | --finish',
  summary:
    'Restore the newest backup of a folder, or the named one, into an empty database. Nothing is sent until --finish and a restart',
  options: { from: { type: 'string' }, name: { type: 'string' }, finish: { type: 'boolean' }, ...JSON_FLAG },
  words: 0,
  run: async (input) => (await import('./restore-backup.ts')).restoreBackup(input),
}

export const verify: Command = {
  name: 'verify',
  usage: '--from DIR [--name BACKUP] [--json]',
  summary:
    'Restore a backup into a scratch database on the same server, compare every table with it, and drop it again',
  options: { from: { type: 'string' }, name: { type: 'string' }, ...JSON_FLAG },
  words: 0,
  run: async (input) => (await import('./verify-backup.ts')).verifyBackup(input),
}
