import type { Transaction } from '../../../kernel/db/database.ts'
import { type EventType, recordAll } from '../../../kernel/outbox/record.ts'
import type { ChangeSource } from './message.ts'
import { emailSummaries, threadSummaries } from './shown.ts'

export { emailSummary, type ThreadSummary, threadSummary } from './shown.ts'

/** Where something changes. */
export interface ThreadRef {
  readonly team: string
  readonly inbox: string
  readonly thread: string
}

export interface ThreadEvent {
  readonly ref: ThreadRef
  readonly type: EventType
  readonly source: ChangeSource
  /** What events of this type say besides. */
  readonly extra?: object
  /** The message that it is about. */
  readonly email?: string
}

/** Tells of changes of threads of one team, with what they are now, in the order given. */
export async function recordThreadEvents(trx: Transaction, events: readonly ThreadEvent[]) {
  const [first] = events
  if (!first) return
  const { team } = first.ref
  const threads = await threadSummaries(trx, team, [...new Set(events.map(({ ref }) => ref.thread))])
  const named = events.flatMap(({ ref, email }) => (email === undefined ? [] : [{ inbox: ref.inbox, email }]))
  const emails = named.length > 0 ? await emailSummaries(trx, team, named) : new Map()
  await recordAll(
    trx,
    events.map(({ ref: { inbox, thread }, type, source, extra, email }) => ({
      team,
      type,
      data: {
        source,
        inbox_id: inbox,
        thread_id: thread,
        thread: threads.get(thread),
        ...(email !== undefined && { email_id: email, email: emails.get(`${inbox} ${email}`) }),
        ...extra,
      },
    })),
  )
}
