import { OUTBOX_CHANNEL } from '../outbox/record.ts'
import type { Database } from '../platform/db/database.ts'
import { TeamWorker } from '../platform/db/team-worker.ts'
import type { Log } from '../platform/log.ts'
import { fileSome, MAX_PENDING } from './file.ts'
import { dropPending, findTeams, unfiledMail } from './pending.ts'

/** Files mail into inboxes. */
export const filingWorker = (parts: { readonly db: Database; readonly log: Log }): TeamWorker => {
  const { db } = parts
  return new TeamWorker(parts, {
    name: 'inboxes',
    channels: [OUTBOX_CHANNEL],
    teams: 2,
    batch: MAX_PENDING,
    findTeams: (which) => findTeams(db, which),
    work: (team, limit) => fileSome(db, team, { limit }),
    nameFirst: async (team) => (await unfiledMail.oldest(db, team, 1))[0],
    dropFirst: async (team, event) => event && db.transaction((trx) => dropPending(trx, team, event)),
    dropped: 'filing a message failed; it is in no inbox',
  })
}
