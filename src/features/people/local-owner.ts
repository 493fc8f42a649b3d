import type { Database } from '../../kernel/db/database.ts'
import { findFirstTeam } from '../teams/reads.ts'
import { addMember, ensureUser, makeOperator } from './users.ts'

/** Whoever sits at the machine that everything runs on. No mail reaches this address, and none needs to. */
const LOCAL_OWNER = 'owner@localhost'

/** The one who owns the first team, and runs the installation. Null: there is no team yet. */
export const ensureLocalOwner = (db: Database): Promise<{ userId: string; team: string } | null> =>
  db.transaction(async (trx) => {
    const team = await findFirstTeam(trx)
    if (team === undefined) return null
    const { id: userId } = await ensureUser(trx, LOCAL_OWNER)
    await addMember(trx, team, userId, 'owner')
    await makeOperator(trx, userId)
    return { userId, team }
  })
