import type { Transaction } from '../../../kernel/db/database.ts'
import { toJson } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { ChangeSource } from './message.ts'

/** An email that is sent from within an inbox. */
export interface Sending {
  readonly team: string
  readonly email: string
  readonly inbox: string
  /** Null: whichever it turns out to belong to. */
  readonly thread: string | null
  readonly draft: string | null
  /** Set: what `inbox.draft.sent` says of the draft, when it is filed and its thread is known. */
  readonly sentDraft: object | null
  readonly source: Exclude<ChangeSource, 'system'>
}

/** Says where an email belongs, in the transaction that accepts it: it is filed from there. */
export async function recordSending(trx: Transaction, sending: Sending) {
  const { team, email, inbox, thread, draft, sentDraft, source } = sending
  await trx.query(sql.write`
    insert into inbox_sendings (team_id, email_id, inbox_id, thread_id, draft_id, sent_draft, source)
    values (${team}, ${email}, ${inbox}, ${thread}, ${draft}, ${sentDraft === null ? null : toJson(sentDraft)}, ${source})`)
}
