import type { Transaction } from '../kernel/db/database.ts'
import { Problem } from '../kernel/http/problem.ts'
import { type Limited, lockCount } from './limits/object-limits.ts'
import type { OverQuota } from './limits/quota.ts'
import { TEAM_STATES_CHANNEL } from './limits/team-states.ts'
import type { Services } from './services.ts'

/** What a caller hears who has used up what the team may send. */
export const quotaProblem = ({ period, message }: OverQuota) =>
  new Problem(period === 'day' ? 'daily_quota_exceeded' : 'monthly_quota_exceeded', message)

/** Refuses what was added in this transaction if the team has more of it now than it may. */
export async function requireWithinLimit(
  { teamStates }: Pick<Services, 'teamStates'>,
  trx: Transaction,
  team: string,
  things: Limited,
) {
  if (teamStates.limitsOf(team)[things] === null) return
  const found = await lockCount(trx, team, things)
  if (found && found.count > found.limit) throw limitReached(things, found.limit)
}

/** The same before something is added that is expensive to make. Whoever adds it asks again, in the transaction. */
export async function requireRoom(
  { db, teamStates }: Pick<Services, 'db' | 'teamStates'>,
  team: string,
  things: Limited,
) {
  if (teamStates.limitsOf(team)[things] === null) return
  const found = await db.transaction((trx) => lockCount(trx, team, things))
  if (found && found.count >= found.limit) throw limitReached(things, found.limit)
}

export const limitReached = (things: Limited, limit: number) =>
  new Problem(
    'quota_exceeded',
    `You have reached your ${things} quota: this team can have ${limit} ${limit === 1 ? things.slice(0, -1) : things}.`,
  )

/** Somebody has suspended a team, or changed what it may: this process knows at once, and the others a moment later. */
export async function teamStatesChanged({ db, teamStates }: Pick<Services, 'db' | 'teamStates'>) {
  db.signals.announce(TEAM_STATES_CHANNEL)
  await teamStates.refresh()
}
