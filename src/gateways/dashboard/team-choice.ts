import type { FastifyInstance } from 'fastify'
import { updateChosenTeam } from '../../features/people/sessions.ts'
import type { Database } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import type { Config } from '../../platform/settings/config.ts'
import { requireOurPage } from './same-origin.ts'
import type { Sessions } from './sessions.ts'

/** Which team the next page of this browser begins with. Pages that are open name theirs, and keep it. */
export function addTeamChoice(
  app: FastifyInstance,
  { db, config, sessions }: { db: Database; config: Config; sessions: Sessions },
) {
  app.patch('/dashboard/session', async (request) => {
    requireOurPage(request, config)
    const { identity } = await sessions.require(request.headers, null)
    const { team } = (request.body ?? {}) as { team?: unknown }
    if (identity.kind !== 'user') throw new Problem('invalid_permission', 'A key has one team.')
    if (typeof team !== 'string' || !isId(team)) throw new Problem('validation_error', 'Invalid `team` field.')
    if (!(await updateChosenTeam(db, identity, team)))
      throw new Problem('invalid_permission', 'You are not a member of this team.')
    return { object: 'session' }
  })
}
