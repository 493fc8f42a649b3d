import type { Transaction } from '../../../../kernel/db/database.ts'
import { sql } from '../../../../kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../../../../kernel/outbox/record.ts'
import { toAsciiDomain } from '../../../../mail/address.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { dayOf, insertSent, UsageSlot } from '../../../limits/usage.ts'
import type { Email } from '../email.ts'
import { EMPTY_FIELDS } from '../ledger/email-fields.ts'
import { DELIVERIES_CHANNEL } from '../ledger/queries.ts'
import { insertAccepted, recordOf, recordsOf } from './insert-emails.ts'

/** What the copies of a broadcast have in common. */
export type BroadcastEmail = Pick<Email, 'team' | 'from' | 'replyTo' | 'topicId' | 'domainId' | 'createdAt'> & {
  readonly broadcastId: string
  /** The domain of the sender's address. */
  readonly domainName: string
}

/** What is one recipient's own. */
export interface RecipientEmail {
  readonly id: string
  readonly to: string
  readonly subject: string
}

/** Broadcasts of one team are few, and take turns. */
const slot = new UsageSlot()

const INSERT_ACCEPTED = insertAccepted(1)

/** Promises copies of a broadcast: emails, ledger rows and events, behind everything that one person waits for. */
export async function acceptRecipientEmails(
  trx: Transaction,
  original: BroadcastEmail,
  copies: readonly RecipientEmail[],
) {
  if (copies.length === 0) return
  const rows = copies.map((copy) => rowOf(original, copy, trx.clock))
  const use = { team: original.team, day: dayOf(original.createdAt), count: copies.length }
  await trx.query(sql`
    with accepted as materialized (select * from ${recordsOf(rows)}),
    new_usage as (${insertSent([use], slot.at(trx.clock.now()))}),
    ${INSERT_ACCEPTED}
    select`)
  trx.announce(DELIVERIES_CHANNEL)
  trx.announce(OUTBOX_CHANNEL)
}

function rowOf({ domainName, ...shared }: BroadcastEmail, { id, to, subject }: RecipientEmail, clock: Clock) {
  const messageId = `<${id}@${toAsciiDomain(domainName)}>`
  return recordOf({ ...EMPTY_FIELDS, ...shared, id, messageId, to: [to], recipients: [to], subject }, clock)
}
