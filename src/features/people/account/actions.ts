import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import { type Actor, requireFresh, requireUser } from '../../../kernel/http/actor.ts'
import { found } from '../../../kernel/http/problem.ts'
import { deleteOtherSessions, findAccount, renameUser } from '../account.ts'
import { deletePasskey, insertPasskey, registrationOptions, verifyRegistration } from '../passkeys.ts'
import { deleteUserSession } from '../sessions.ts'
import type { CreatePasskey } from './create-passkey.ts'
import type { UpdateAccount } from './schema.ts'
import type { PeopleAccountServices } from './services.ts'

export async function changeAccount(
  { db }: PeopleAccountServices,
  actor: Actor,
  { name }: Static<typeof UpdateAccount>,
) {
  const { id } = requireUser(actor).identity
  if (name !== undefined) await renameUser(db, id, name)
  return id
}

/** A passkey opens the account for good: whoever adds one has proven a moment ago who they are. */
export async function offerPasskey(services: PeopleAccountServices, actor: Actor) {
  requireFresh(actor, services.clock.now())
  const { id, session } = requireUser(actor).identity
  const user = found(await findAccount(services.db, id), 'Account')
  return registrationOptions(services, { user, session: session.id })
}

export async function addPasskey(
  services: PeopleAccountServices,
  actor: Actor,
  { name, response }: Static<typeof CreatePasskey>,
) {
  requireFresh(actor, services.clock.now())
  const { id: userId, session } = requireUser(actor).identity
  const passkey = await verifyRegistration(services, session.id, response)
  return services.db.transaction(async (trx) => {
    const id = await insertPasskey(trx, { userId, name, passkey })
    annotateAudit(trx, { objectId: id, details: { name } })
    return id
  })
}

export async function removePasskey({ db, clock }: PeopleAccountServices, actor: Actor, id: string) {
  requireFresh(actor, clock.now())
  await db.transaction(async (trx) => {
    const [passkey] = await deletePasskey(trx, requireUser(actor).identity.id, id)
    const { name } = found(passkey, 'Passkey')
    annotateAudit(trx, { details: { name } })
  })
}

export async function endSession({ db, sessions }: PeopleAccountServices, actor: Actor, id: string) {
  const [ended] = await deleteUserSession(db, requireUser(actor).identity.id, id)
  found(ended, 'Session')
  sessions.forget()
}

export async function endOtherSessions({ db, sessions }: PeopleAccountServices, actor: Actor): Promise<number> {
  const { id, session } = requireUser(actor).identity
  const ended = await deleteOtherSessions(db, id, session.id)
  sessions.forget()
  return ended.length
}
