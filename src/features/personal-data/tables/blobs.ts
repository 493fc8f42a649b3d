import type { Readable } from 'node:stream'
import type { BlobStore } from '../../../adapters/blobs/blob-store.ts'
import { isBackupRunning } from '../../../kernel/db/backup-lock.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import type { AddressPattern } from '../../../mail/address-pattern.ts'
import { dropRaw, dropReceivedRaw, dropSubmitted, type Found, redactSubmitted } from './acts.ts'
import type { SearchedTable } from './catalogue.ts'
import { deleteRow, type Outcome } from './redact-row.ts'
import { type Key, readSlice } from './scan.ts'

const SLICE_ROWS = 100
/** More than any address takes, however it is spelled. */
const OVERLAP_CHARACTERS = 2_048

/** Rows with a blob, in the order of their keys. */
export async function* blobRowsOf(db: Database, table: SearchedTable, team: string | null) {
  for (let after: Key | null = null; ; ) {
    const [column] = table.blobs
    const isHit = sql`${raw(`"${column}"`)} is not null`
    const slice = await readSlice(db, table, { isHit, team, after, limit: SLICE_ROWS })
    if (slice.rows > 0) yield slice
    if (slice.rows < SLICE_ROWS) return
    after = slice.last
  }
}

/** Whether the address stands in a file, as it is: nothing is unpacked. In pieces, however large it is. */
export async function isInBlob(blobs: BlobStore, key: string, pattern: AddressPattern): Promise<boolean> {
  const stream: Readable | null = await blobs.open(key)
  if (stream === null) return false
  let rest = ''
  for await (const chunk of stream) {
    const text = rest + (chunk as Buffer).toString('latin1')
    if (pattern.redactBytes(Buffer.from(text, 'latin1'))) {
      stream.destroy()
      return true
    }
    rest = text.slice(-OVERLAP_CHARACTERS)
  }
  return false
}

/** A file that names the address goes; the mail that it belonged to stays, without the message as it came: the file is in it once more, as base64. */
export async function actOnFile(found: Found, blob: string): Promise<Outcome> {
  const { db, table, key, loose } = found
  if (table.name === 'submitted_messages') return redactSubmitted(found)
  if (table.name === 'received_emails') return dropReceivedRaw(found)
  const [team, mail] = key as [string, string]
  return db.transaction(async (trx) => {
    if (table.name === 'received_attachments') await dropRaw(trx, team, mail, loose)
    if (table.name === 'email_attachments' && !(await dropSubmitted(trx, team, mail, loose))) return 'pending'
    loose.add(blob)
    return deleteRow(trx, table, key)
  })
}

/** Removes blobs that nothing names any more, without the day that others are given. While a backup is made they stay for the sweep. */
export async function removeLoose(db: Database, blobs: BlobStore, keys: Set<string>): Promise<number> {
  if (keys.size === 0 || (await isBackupRunning(db))) return 0
  const marked = await db.query<{ key: string }>(sql.write`
    update loose_blobs set is_being_removed = true where key = any (${[...keys]}::text[]) returning key`)
  for (const { key } of marked) {
    await blobs.remove(key)
    await db.query(sql.write`delete from loose_blobs where key = ${key}`)
  }
  keys.clear()
  return marked.length
}
