import type { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { type Expired, nextTeam, type OldRow, oldRows, retention } from '../../kernel/jobs/retention.ts'
import { rangesOf } from '../../kernel/partitions/ranges.ts'
import { indexAgain } from '../../kernel/search/catch-up.ts'
import type { SearchSource } from '../../kernel/search/source.ts'
import { groupBy } from '../../platform/group-by.ts'
import { isNotBeingSent } from '../broadcasts/reads.ts'
import {
  deleteContentsBefore,
  deleteAttachmentsBefore as deleteSentAttachmentsBefore,
} from '../emails/delivery/ledger/removal.ts'
import { hasEndedBefore } from '../emails/reads.ts'
import { receivedSearch } from '../inbound/index.ts'
import { deleteAttachmentsBefore as deleteReceivedAttachmentsBefore } from '../inbound/intake/removal.ts'
import { removeWithFacts } from './removal.ts'
import { sentSource } from './search.ts'

// Mail that is past its time goes with all that names it: bodies, files, recipients, search documents, messages of inboxes with their counts,
// marks and facts of the metrics. What was counted stays counted.

/** Emails that are looked for at a time. Each has a dozen rows in other tables. */
const LIMIT = 1_000
/** In one transaction, which holds up the filing of the team. */
const BATCH = 200

const HAS_ENDED = hasEndedBefore({ team: sql`r.team_id`, id: sql`r.id` }, sql`owner.moment`)

/** Since the last recipient was settled. Copies of a broadcast stay as long as that is being sent: its progress is read from them. */
export const sweepEmails = retention({
  name: 'emails.sweep',
  kind: 'emails',
  ranges: rangesOf('emails'),
  deleteBefore: (db, expired) =>
    removeOld(db, expired, (some) =>
      oldRows(sql`emails`, some, { condition: sql`and ${HAS_ENDED} and ${isNotBeingSent(sql`r`)}` }),
    ),
})

export const sweepReceived = retention({
  name: 'received.sweep',
  kind: 'received',
  ranges: rangesOf('received_emails'),
  deleteBefore: (db, expired) => removeOld(db, expired, (some) => oldRows(sql`received_emails`, some)),
})

async function removeOld(
  db: Database,
  expired: Expired,
  find: (expired: Expired) => ReturnType<typeof oldRows>,
): Promise<string | false> {
  const old = await db.query<OldRow>(find({ ...expired, limit: LIMIT }))
  for (const [team, rows] of groupBy(old, (row) => row.team))
    for (let at = 0; at < rows.length; at += BATCH) {
      const ids = rows.slice(at, at + BATCH).map(({ id }) => id)
      await removeWithFacts(db, team, ids)
    }
  return nextTeam(old, LIMIT)
}

/** What emails say, before they go themselves: they answer with null. Words that only the content had are not found any more. */
export const sweepBodies = retention({
  name: 'bodies.sweep',
  kind: 'bodies',
  ranges: rangesOf('email_bodies'),
  async deleteBefore(db, expired) {
    const old = await deleteContentsBefore(db, { ...expired, limit: LIMIT })
    await describeAgain(db, old, sentSource)
    return old.length > 0
  },
})

/** Of mail that is kept for longer: it stays, and answers without attachments. */
export const sweepSentAttachments = retention({
  name: 'attachments.sweep-sent',
  kind: 'attachments',
  ranges: rangesOf('email_attachments'),
  async deleteBefore(db, expired) {
    const old = await deleteSentAttachmentsBefore(db, { ...expired, limit: LIMIT })
    await describeAgain(db, old, sentSource)
    return old.length > 0
  },
})

export const sweepReceivedAttachments = retention({
  name: 'attachments.sweep-received',
  kind: 'attachments',
  ranges: rangesOf('received_attachments'),
  async deleteBefore(db, expired) {
    const old = await deleteReceivedAttachmentsBefore(db, { ...expired, limit: LIMIT })
    await describeAgain(db, old, receivedSearch.source)
    return old.length > 0
  },
})

/** What is searched has lost some of its content. */
async function describeAgain(db: Database, rows: readonly OldRow[], source: SearchSource) {
  for (const [team, own] of groupBy(rows, (row) => row.team)) {
    const ids = own.map(({ id }) => id)
    await indexAgain(db, team, source, ids)
  }
}
