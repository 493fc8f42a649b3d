import { TeamWorker } from '../../../kernel/db/team-worker.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { type FilingParts, fileSome, MAX_PENDING } from './file.ts'
import { dropPending, findTeams, unfiledMail } from './pending.ts'

/** Files mail into inboxes. */
export const filingWorker = (parts: FilingParts & { readonly log: Log }): TeamWorker => {
  const { db } = parts
  return new TeamWorker(parts, {
    name: 'inboxes',
    channels: [OUTBOX_CHANNEL],
    teams: 2,
    batch: MAX_PENDING,
    findTeams: (which) => findTeams(db, which),
    work: (team, limit) => fileSome(parts, team, { limit }),
    nameFirst: async (team) => (await unfiledMail.oldest(db, team, 1))[0],
    dropFirst: async (team, event) => event && db.transaction((trx) => dropPending(trx, team, event)),
    dropped: 'filing a message failed; it is in no inbox',
  })
}
