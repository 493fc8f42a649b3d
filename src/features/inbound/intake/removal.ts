import { abandonBlobs } from '../../../kernel/blobs/loose-blobs.ts'
import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { anyTeam, sql } from '../../../kernel/db/sql.ts'
import { type Expired, isAmong, type OldRow, oldRows } from '../../../kernel/jobs/retention.ts'

const KEY = sql`received_id`

/** Deletes the attachments of some messages that came too long ago, with the messages as they arrived, which have them once more. Gives the messages; none: that was all. */
export async function deleteAttachmentsBefore(db: Database, expired: Expired): Promise<OldRow[]> {
  const old = await db.query<OldRow>(
    sql`select distinct given.team, given.id from (${oldRows(sql`received_attachments`, expired, { key: KEY, createdAt: null })}) given`,
  )
  if (old.length === 0) return []
  await db.transaction(async (trx) => {
    const raws = await trx.query<{ key: string }>(sql.write`
      with files as (delete from received_attachments r where ${isAmong(old, KEY)}),
      raws as (delete from received_raws r where ${isAmong(old, KEY)})
      update received_emails r set raw_blob = null from received_emails known
      where ${isAmong(old)} and r.raw_blob is not null and known.team_id = r.team_id and known.id = r.id
      returning known.raw_blob as key`)
    if (raws.length > 0)
      await abandonBlobs(
        trx,
        raws.map(({ key }) => key),
      )
  })
  return old
}

/** Deletes messages with all that was read of them. Whoever is reading one finds that it is gone. Gives those that were there. */
export async function deleteReceived(trx: Transaction, team: string, ids: readonly string[]): Promise<string[]> {
  const rows = await trx.query<{ id: string }>(sql.write`
    delete from received_emails where team_id = ${anyTeam(team)} and id = any (${ids}::uuid[]) returning id`)
  return rows.map(({ id }) => id)
}
