import type { Database } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { addMember, ensureUser, makeOperator } from './users.ts'

/** Whoever sits at the machine that everything runs on. No mail reaches this address, and none needs to. */
const LOCAL_OWNER = 'owner@localhost'

/** The one who owns the first team, and runs the installation. Null: there is no team yet. */
export const ensureLocalOwner = (db: Database): Promise<{ userId: string; team: string } | null> =>
  db.transaction(async (trx) => {
    const [team] = await trx.query<{ id: string }>(
      sql`select id from teams where not is_system and not is_sandbox order by id limit 1`,
    )
    if (!team) return null
    const { id: userId } = await ensureUser(trx, LOCAL_OWNER)
    await addMember(trx, team.id, userId, 'owner')
    await makeOperator(trx, userId)
    return { userId, team: team.id }
  })
