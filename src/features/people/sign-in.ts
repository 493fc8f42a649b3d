import { recordAudit, recordAuditOfPerson } from '../../kernel/audit/record.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { spendLink } from './links.ts'
import { emailOf } from './memberships.ts'
import { ensureOwner } from './owners.ts'
import { teamsOfUser } from './reads.ts'
import { insertUserSession, type NewSession } from './sessions.ts'
import { ensureUser, findUser, makeFirstOperator, makeOperator } from './users.ts'

/** Where somebody sits who signs in. */
export type Origin = Pick<NewSession, 'ipAddress' | 'userAgent'>

/** Signs somebody in who has proven who they are: a session, and a line in the audit log of each of their teams. */
export async function signIn(trx: Transaction, session: NewSession): Promise<string> {
  const id = await insertUserSession(trx, session)
  await auditPerson(trx, session.userId, {
    action: 'account.sign_in',
    objectId: id,
    details: { method: session.method },
    origin: session,
  })
  return id
}

/** Signs in whoever has the link. Those that the operator made let new people in. */
export async function signInByLink(trx: Transaction, token: string, origin: Origin): Promise<string> {
  const link = await spendLink(trx, token, null)
  const isTerminal = link?.method === 'terminal'
  const userId = link && (isTerminal ? (await ensureUser(trx, link.email)).id : await findUser(trx, link.email))
  if (!link || !userId) throw usedUp()
  if (link.ownerOf) await ensureOwner(trx, link.ownerOf, userId)
  if (link.makesOperator) await makeOperator(trx, userId)
  else if (isTerminal) await makeFirstOperator(trx, userId)
  return signIn(trx, { userId, team: link.ownerOf, method: link.method, ...origin })
}

export const usedUp = () => new Problem('invalid_sign_in_link', 'This link was already used or has expired.')

/** A fresh proof of who is in a session. */
export async function refreshProof(
  trx: Transaction,
  { userId, session, method, origin }: { userId: string; session: string; method: string; origin: Origin },
) {
  await trx.query(
    sql.write`update user_sessions set verified_at = ${trx.clock.now()} where user_id = ${userId} and id = ${session}`,
  )
  await auditPerson(trx, userId, { action: 'account.verify', objectId: session, details: { method }, origin })
}

interface Deed {
  readonly action: string
  readonly objectId: string
  readonly details?: object
  readonly origin: Origin
  /** Set: only this team is to know. */
  readonly team?: string
}

/** Writes down what somebody did without an endpoint of the API. */
export async function auditPerson(trx: Transaction, userId: string, { origin, team, details, ...deed }: Deed) {
  const { ipAddress, userAgent } = origin
  const event = { ...deed, details: details ?? null, ipAddress, userAgent }
  const actor = { id: userId, name: (await emailOf(trx, userId)) ?? null }
  if (team === undefined) await recordAuditOfPerson(trx, teamsOfUser(userId), { ...event, actor })
  else await recordAudit(trx, { ...event, team, actor: { ...actor, kind: 'user' } })
}
