import type { QueueFilter } from '../../../features/emails/delivery/queue/queue-filter.ts'
import { summarizeWaiting } from '../../../features/emails/delivery/queue/queue-list.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { whileReadable } from './filter.ts'

/** How many recipients some act is about. */
export interface WaitingCount {
  readonly recipients: number
  /** False: there are more, which nobody counts. */
  readonly isComplete: boolean
}

export async function countWaiting(db: Database, filter: QueueFilter): Promise<WaitingCount> {
  const { groups, capped } = await whileReadable(summarizeWaiting(db, filter, 'team'))
  return { recipients: groups.reduce((sum, { recipients }) => sum + recipients, 0), isComplete: capped.length === 0 }
}

export const recipientsIn = ({ recipients, isComplete }: WaitingCount) =>
  `${isComplete ? '' : 'at least '}${recipients} ${recipients === 1 ? 'recipient' : 'recipients'}`

export const shownCount = ({ recipients, isComplete }: WaitingCount) => ({ recipients, is_complete: isComplete })
