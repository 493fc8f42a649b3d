import { toAsciiDomain } from '../mail/address.ts'
import { OUTBOX_CHANNEL } from '../outbox/record.ts'
import type { Transaction } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import { newId } from '../platform/ids.ts'
import { type Email, emailFact } from './email.ts'
import { DELIVERIES_CHANNEL } from './queries.ts'
import { GIVE_UP_AFTER_SECONDS } from './retry.ts'

/** What the copies of a broadcast have in common. */
export type Original = Pick<Email, 'team' | 'from' | 'replyTo' | 'topicId' | 'domainId' | 'createdAt'> & {
  readonly broadcastId: string
  /** The domain of the sender's address. */
  readonly domainName: string
}

/** What is one recipient's own. */
export interface Copy {
  readonly id: string
  readonly to: string
  readonly subject: string
}

/** Promises copies of a broadcast: emails, ledger rows and events, behind everything that one person waits for. */
export async function acceptCopies(trx: Transaction, original: Original, copies: readonly Copy[]) {
  if (copies.length === 0) return
  const { team, broadcastId, from, replyTo, topicId, domainId, createdAt } = original
  const rows = copies.map((copy) => rowOf(original, copy))
  await trx.query(sql`
    with accepted as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as given (
        id uuid, "messageId" text, "to" text, subject text, "factId" uuid, fact json)),
    new_emails as (
      insert into emails (team_id, id, message_id, "from", "to", reply_to, subject, topic_id, domain_id, broadcast_id,
        last_event, created_at)
      select ${team}, id, "messageId", ${from}, jsonb_build_array("to"), ${replyTo && JSON.stringify(replyTo)}, subject,
        ${topicId}, ${domainId}, ${broadcastId}, 'sent', ${createdAt}
      from accepted),
    new_deliveries as (
      insert into deliveries (team_id, email_id, position, recipient, priority, due_at, give_up_at)
      select ${team}, id, 0, "to", 1, ${createdAt}, ${createdAt}::timestamptz + make_interval(secs => ${GIVE_UP_AFTER_SECONDS})
      from accepted)
    insert into outbox (team_id, id, type, data, about)
    select ${team}, "factId", 'email.sent', fact, id from accepted`)
  trx.announce(DELIVERIES_CHANNEL)
  trx.announce(OUTBOX_CHANNEL)
}

function rowOf({ domainName, ...shared }: Original, { id, to, subject }: Copy) {
  const messageId = `<${id}@${toAsciiDomain(domainName)}>`
  const email: Email = { ...NOTHING_ELSE, ...shared, id, messageId, to: [to], subject }
  return { id, messageId, to, subject, factId: newId(), fact: emailFact(email, email.to) }
}

const NOTHING_ELSE = { cc: null, bcc: null, headers: null, tags: null, templateId: null }
