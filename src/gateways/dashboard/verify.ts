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
      throw new Problem('invalid_api_key', 'This is the passkey of somebody else.')
    return prove(parts, request, person, 'passkey', (trx) => spendProof(trx, proof))
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
    return prove(parts, request, person, 'link', async (trx) => {
      if (!(await spendLink(trx, token, person.identity.session.id))) throw usedUp()
    })
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
    throw new Problem('invalid_permission', 'Only people can do this, signed in to the dashboard.')
  return visitor as ActorOf<'user'>
}

async function prove(
  { db, sessions }: SignInParts,
  request: FastifyRequest,
  { identity }: ActorOf<'user'>,
  method: 'passkey' | 'link',
  spend: (trx: Transaction) => Promise<void>,
) {
  await db.transaction(async (trx) => {
    await spend(trx)
    await refreshProof(trx, { userId: identity.id, session: identity.session.id, method, origin: originOf(request) })
  })
  sessions.forget()
  return { object: 'verification' }
}
