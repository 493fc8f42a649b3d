import { readAutomationQueue } from '../../../features/automations/engine/queue-state.ts'
import { countUnsent } from '../../../features/broadcasts/reads.ts'
import { summarizeWaiting } from '../../../features/emails/delivery/queue/queue-list.ts'
import { readWebhookQueue } from '../../../features/webhooks/delivery/queue-state.ts'
import type { Database } from '../../../kernel/db/database.ts'
import type { RestoredBackup } from '../../../kernel/db/restored-backup.ts'

/** What a restored installation would send if it were not on hold. */
export interface Waiting {
  readonly recipients: number
  /** Of very many recipients the first ones are counted. */
  readonly is_complete: boolean
  readonly webhooks: number
  readonly broadcasts: number
  readonly automation_runs: number
}

export async function readWaiting(db: Database): Promise<Waiting> {
  const { groups, capped } = await summarizeWaiting(db, {}, 'team')
  const webhooks = await readWebhookQueue(db)
  const automations = await readAutomationQueue(db)
  return {
    recipients: groups.reduce((sum, { recipients }) => sum + recipients, 0),
    is_complete: capped.length === 0,
    webhooks: webhooks.noted + webhooks.due + webhooks.later + webhooks.held,
    broadcasts: await countUnsent(db),
    automation_runs: automations.noted + automations.due + automations.later,
  }
}

/** For an operator who is to decide what of it has left already. */
export function describeHold({ name, madeAt }: RestoredBackup, waiting: Waiting): string[] {
  const { recipients, is_complete, webhooks, broadcasts, automation_runs } = waiting
  return [
    `Restored from the backup ${name} of ${madeAt.toISOString()}. Everything is on hold: nothing is sent.`,
    `It would send: mail to ${is_complete ? '' : 'at least '}${recipients} recipients, ${webhooks} webhook deliveries, ${broadcasts} broadcasts, ${automation_runs} automation runs.`,
    'What has left since the backup was made would leave again. So, in this order:',
    '  postwren queue list                        what waits',
    '  postwren queue cancel --due-before TIME    cancel what was due before the old installation stopped',
    '  postwren restore --finish                  then restart, and the rest is sent',
  ]
}
