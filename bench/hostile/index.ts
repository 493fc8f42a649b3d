import type { Attack } from './attack.ts'
import { attack as bigBatches } from './big-batches.ts'
import { attack as heldStreams } from './held-streams.ts'
import { attack as metrics } from './metrics.ts'
import { attack as randomKeys } from './random-keys.ts'
import { attack as slowWebhooks } from './slow-webhooks.ts'
import { attack as smtpFlood } from './smtp-flood.ts'
import { attack as stalledLists } from './stalled-lists.ts'

export const ATTACKS: readonly Attack[] = [
  bigBatches,
  slowWebhooks,
  metrics,
  stalledLists,
  heldStreams,
  randomKeys,
  smtpFlood,
]
