import type { Database } from '../../../kernel/db/database.ts'
import { TeamWorker } from '../../../kernel/db/team-worker.ts'
import { OUTBOX_CHANNEL } from '../../../kernel/outbox/record.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { fileSome, MOST_NOTES } from './file.ts'
import { dropNote, findTeams, unfiledMail } from './notes.ts'

/** Files mail into inboxes. */
export const filingWorker = (parts: { readonly db: Database; readonly log: Log }): TeamWorker => {
  const { db } = parts
  return new TeamWorker(parts, {
    name: 'filing',
    channels: [OUTBOX_CHANNEL],
    teams: 2,
    batch: MOST_NOTES,
    findTeams: (which) => findTeams(db, which),
    work: (team, limit) => fileSome(db, team, { limit }),
    nameFirst: async (team) => (await unfiledMail.oldest(db, team, 1))[0],
    dropFirst: async (team, note) => note && db.transaction((trx) => dropNote(trx, team, note)),
    dropped: 'a message could not be filed for a reason of ours; it is in no inbox',
  })
}
