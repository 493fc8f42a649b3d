import type { Static } from 'typebox'
import { annotateAudit } from '../../kernel/audit/annotations.ts'
import type { Database, Queryable } from '../../kernel/db/database.ts'
import { type Actor, requireFresh, requireUser } from '../../kernel/http/actor.ts'
import { fieldsOf } from '../../kernel/http/columns.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { present } from '../../kernel/http/shapes.ts'
import { cancel, enqueue } from '../../kernel/jobs/queries.ts'
import { imageUrl } from '../editor/reads.ts'
import { takeUpMail } from '../emails/delivery/jobs.ts'
import { teamStatesChanged } from '../limits.ts'
import { countOwned } from '../people/memberships.ts'
import { addMember } from '../people/users.ts'
import { requireLogo } from './brand.ts'
import { isBeingDeleted, setDeletion, unsetDeletion } from './deletion.ts'
import { deleteTeam } from './jobs.ts'
import { insertTeam, isNameTaken, readTeam, updateTeam } from './queries.ts'
import { type CreateTeam, type Team, UpdateTeam } from './schema.ts'
import type { TeamsServices } from './services.ts'

/** That one person owns. */
const MAX_OWNED = 20
/** In which the owners can think better of it. */
const GRACE_MS = 7 * 86_400_000

/** Whoever makes a team owns it. */
export function addTeam({ db }: TeamsServices, actor: Actor, { name }: Static<typeof CreateTeam>): Promise<string> {
  const { id: userId } = requireUser(actor).identity
  return db.transaction(async (trx) => {
    if ((await countOwned(trx, userId)) >= MAX_OWNED)
      throw new Problem('quota_exceeded', `You can own up to ${MAX_OWNED} teams.`)
    const team = await insertTeam(trx, name)
    if (!team) throw nameTaken(name)
    await addMember(trx, team, userId, 'owner')
    annotateAudit(trx, { team, objectId: team, details: { name } })
    return team
  })
}

export async function changeTeam(services: TeamsServices, { team }: Actor, changes: Static<typeof UpdateTeam>) {
  const { name, logo_image_id } = changes
  await services.db.transaction(async (trx) => {
    if (name !== undefined && (await isNameTaken(trx, team, name))) throw nameTaken(name)
    if (logo_image_id) await requireLogo(trx, team, logo_image_id)
    await updateTeam(trx, team, changes)
    annotateAudit(trx, { objectId: team, details: fieldsOf(UpdateTeam, changes) })
  })
  // What viewers may read has perhaps changed.
  services.sessions.forget()
}

const nameTaken = (name: string) => new Problem('validation_error', `A team with the name “${name}” already exists.`)

/** With the address of its logo. */
export async function describeTeam(services: TeamsServices, { team }: Actor): Promise<Static<typeof Team>> {
  const item = found(await readTeam(services.db, team), 'Team')
  return present('team', { ...item, logo_url: item.logo_image_id && imageUrl(services, team, item.logo_image_id) })
}

/** As people know it. */
export const teamName = async (db: Queryable, team: string) => found(await readTeam(db, team), 'Team').name

/** Everything of a team goes, after a time in which nothing of it works and all of it can be had back. */
export async function removeTeam(services: TeamsServices, actor: Actor): Promise<Date> {
  requireFresh(actor, services.clock.now())
  const deleteAt = await scheduleDeletion(services.db, actor.team, GRACE_MS)
  await teamStatesChanged(services)
  return found(deleteAt, 'Team')
}

/** Nothing: there is no such team. */
export const scheduleDeletion = (db: Database, team: string, graceMs = GRACE_MS): Promise<Date | undefined> =>
  db.transaction(async (trx) => {
    const deleteAt = await setDeletion(trx, team, new Date(trx.clock.now().getTime() + graceMs))
    if (!deleteAt) return undefined
    await enqueue(trx, deleteTeam, { team }, { runAt: deleteAt, key: team })
    annotateAudit(trx, { objectId: team, details: { delete_at: deleteAt.toISOString() } })
    return deleteAt
  })

/** Also when there is nothing to take back. */
export async function restoreTeam(services: TeamsServices, { team }: Actor) {
  await services.db.transaction(async (trx) => {
    if (await unsetDeletion(trx, team)) {
      await cancel(trx, deleteTeam, team)
      await enqueue(trx, takeUpMail, {}, { key: team })
    } else if (await isBeingDeleted(trx, team))
      throw new Problem('validation_error', 'This team is already being deleted.')
    annotateAudit(trx, { objectId: team })
  })
  await teamStatesChanged(services)
}
