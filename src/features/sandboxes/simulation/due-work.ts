import type { Database } from '../../../kernel/db/database.ts'
import type { DueMoments } from '../../../kernel/db/due-moments.ts'
import type { PendingEvents } from '../../../kernel/outbox/pending-events.ts'

/** Everything that can be due for a team, as the features declare it. The composition root hands it in: sandboxes are a feature themselves. */
export interface DueWork {
  /** Mail and its retries, jobs, webhooks and their retries, runs of automations … */
  readonly moments: readonly DueMoments[]
  /** Who follows events and may make something due. */
  readonly subscriptions: readonly PendingEvents[]
}

/** What moving a clock takes. */
export interface ClockParts {
  readonly db: Database
  readonly dueWork: DueWork
}
