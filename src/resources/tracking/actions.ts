import { type Email, emailFact } from '../../delivery/email.ts'
import { EMAIL_COLUMNS } from '../../delivery/email-fields.ts'
import { recordAll } from '../../outbox/record.ts'
import type { Transaction } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

/** Tells that a recipient of an email wants no more of its kind, together with what was changed for that. */
export async function recordUnsubscribed(trx: Transaction, team: string, emailId: string, recipient: string) {
  const [email] = await trx.query<Email>(sql`
    select ${EMAIL_COLUMNS} from emails e where e.team_id = ${team} and e.id = ${emailId}`)
  if (!email) return
  await recordAll(trx, [{ team, type: 'email.unsubscribed', data: emailFact(email, [recipient]), about: emailId }])
}
