import type { Transaction } from '../../../kernel/db/database.ts'
import { record } from '../../../kernel/outbox/record.ts'
import { threadSummary } from '../filing/events.ts'
import type { ChangeSource } from '../filing/message.ts'
import type { DraftHead, DraftRef } from './queries.ts'

export interface DraftEvent {
  readonly type: 'created' | 'updated' | 'sent' | 'deleted'
  readonly draft: DraftHead
  readonly source: ChangeSource
  /** What this type tells besides. */
  readonly more?: object
}

/** Tells of a draft, without what it says, and of its thread if it has one. */
export async function recordDraft(
  trx: Transaction,
  { team, inbox }: Pick<DraftRef, 'team' | 'inbox'>,
  { type, draft, source, more = {} }: DraftEvent,
) {
  const thread = draft.thread_id === null ? undefined : await threadSummary(trx, team, draft.thread_id)
  await record(trx, team, `inbox.draft.${type}`, [
    {
      source,
      inbox_id: inbox,
      draft_id: draft.id,
      ...(draft.thread_id !== null && { thread_id: draft.thread_id, thread }),
      draft,
      ...more,
    },
  ])
}
