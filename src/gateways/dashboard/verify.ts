import type { FastifyInstance, FastifyRequest } from 'fastify'
import { mailLink } from '../../features/people/jobs.ts'
import { spendLink } from '../../features/people/links.ts'
import { emailOf } from '../../features/people/memberships.ts'
import { authenticationOptions, hasPasskeys, spendProof, verifyAuthentication } from '../../features/people/passkeys.ts'
import { relyingParty } from '../../features/people/relying-party.ts'
import { refreshProof, usedUp } from '../../features/people/sign-in.ts'
import type { Transaction } from '../../kernel/db/database.ts'
import type { ActorOf } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { requireOurPage } from './same-origin.ts'
import { originOf, PasskeyBody, type SignInParts, TokenBody } from './sign-in.ts'

/** Proves afresh who is signed in, before something dangerous: see `requireFresh`. */
export function addVerification(app: FastifyInstance, parts: SignInParts) {
  const { db, challenges, publicUrl, signInLimits } = parts
  const passkeys = { db, challenges, publicUrl }
  const asked = ({ identity }: ActorOf<'user'>) => ({ purpose: 'verification', session: identity.session.id }) as const

  app.get('/dashboard/verify', async (request) => {
    const { identity } = await requirePerson(parts, request)
    const party = (await hasPasskeys(db, identity.id)) ? relyingParty(publicUrl()) : null
    const email = (await emailOf(db, identity.id))!
    return {
      object: 'verification',
      passkeys: party && { origin: party.origin },
      email,
      is_received_here: await parts.isReceivedHere(email),
    }
  })
  app.post('/dashboard/verify/passkey/options', async (request) => {
    const person = await requirePerson(parts, request)
    return { options: await authenticationOptions(passkeys, asked(person), person.identity.id) }
  })
  app.post('/dashboard/verify/passkey', async (request) => {
    const person = await requirePerson(parts, request)
    const { response } = validate(PasskeyBody, request.body ?? {}, 'body')
    const proof = await verifyAuthentication(passkeys, asked(person), response)
    if (proof.userId !== person.identity.id)
      throw new Problem('invalid_passkey', 'This passkey belongs to another account.')
    return prove(parts, request, { person, method: 'passkey', spend: (trx) => spendProof(trx, proof) })
  })
  app.post('/dashboard/verify/link', async (request) => {
    const { identity } = await requirePerson(parts, request)
    const email = (await emailOf(db, identity.id))!
    signInLimits.admitMail(request.ip, email)
    await db.transaction((trx) => enqueue(trx, mailLink, { email, session: identity.session.id }))
    return { object: 'sign_in_link', email }
  })
  app.post('/dashboard/verify', async (request) => {
    const person = await requirePerson(parts, request)
    const { token } = validate(TokenBody, request.body ?? {}, 'body')
    const spend = async (trx: Transaction) => {
      if (!(await spendLink(trx, token, person.identity.session.id))) throw usedUp()
    }
    return prove(parts, request, { person, method: 'link', spend })
  })
}

async function requirePerson(
  { config, sessions, signInLimits }: SignInParts,
  request: FastifyRequest,
): Promise<ActorOf<'user'>> {
  requireOurPage(request, config)
  signInLimits.admitAttempt(request.ip)
  const visitor = await sessions.require(request.headers, null)
  if (visitor.identity.kind !== 'user')
    throw new Problem('invalid_permission', 'Only signed-in users can do this, in the dashboard.')
  return visitor as ActorOf<'user'>
}

interface Proof {
  readonly person: ActorOf<'user'>
  readonly method: 'passkey' | 'link'
  /** Uses it up, or throws. */
  spend(trx: Transaction): Promise<void>
}

async function prove(
  { db, sessions }: SignInParts,
  request: FastifyRequest,
  { person: { identity }, method, spend }: Proof,
) {
  await db.transaction(async (trx) => {
    await spend(trx)
    await refreshProof(trx, { userId: identity.id, session: identity.session.id, method, origin: originOf(request) })
  })
  sessions.forget()
  return { object: 'verification' }
}
