import { attack as abortedRequests } from './aborted-requests.ts'
import type { Attack } from './attack.ts'
import { attack as bigBatches } from './big-batches.ts'
import { attack as cidBomb } from './cid-bomb.ts'
import { attack as deepJson } from './deep-json.ts'
import { attack as frame } from './frame.ts'
import { attack as heldStreams } from './held-streams.ts'
import { attack as hostileHtml } from './hostile-html.ts'
import { attack as largeBodies } from './large-bodies.ts'
import { attack as manyNames } from './many-names.ts'
import { attack as manyValues } from './many-values.ts'
import { attack as metrics } from './metrics.ts'
import { attack as pipelining } from './pipelining.ts'
import { attack as randomKeys } from './random-keys.ts'
import { attack as rsaKeys } from './rsa-keys.ts'
import { attack as slowDownloads } from './slow-downloads.ts'
import { attack as slowWebhooks } from './slow-webhooks.ts'
import { attack as smtpFlood } from './smtp-flood.ts'
import { attack as stalledLists } from './stalled-lists.ts'
import { attack as templateBomb } from './template-bomb.ts'

export const ATTACKS: readonly Attack[] = [
  bigBatches,
  slowWebhooks,
  metrics,
  stalledLists,
  heldStreams,
  randomKeys,
  smtpFlood,
  deepJson,
  manyValues,
  manyNames,
  largeBodies,
  frame,
  templateBomb,
  cidBomb,
  hostileHtml,
  pipelining,
  rsaKeys,
  slowDownloads,
  abortedRequests,
]
