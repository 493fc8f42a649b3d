import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Challenges } from '../../features/people/challenges.ts'
import { acceptAsNewUser } from '../../features/people/invitations.ts'
import { mailLink } from '../../features/people/jobs.ts'
import { offeredProviders } from '../../features/people/oidc/providers.ts'
import { AuthenticationResponse } from '../../features/people/passkey-schema.ts'
import { authenticationOptions, spendProof, verifyAuthentication } from '../../features/people/passkeys.ts'
import { relyingParty } from '../../features/people/relying-party.ts'
import { deleteUserSession } from '../../features/people/sessions.ts'
import { auditPerson, type Origin, signIn, signInByLink } from '../../features/people/sign-in.ts'
import type { SignInLimits } from '../../features/people/sign-in-limits.ts'
import type { Database, Transaction } from '../../kernel/db/database.ts'
import { Email } from '../../kernel/http/shapes.ts'
import { validate } from '../../kernel/http/validate.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import type { Config } from '../../platform/settings/config.ts'
import { requireOurPage } from './same-origin.ts'
import type { Sessions } from './sessions.ts'

export interface SignInParts {
  readonly db: Database
  readonly config: Config
  readonly sessions: Sessions
  readonly challenges: Challenges
  readonly signInLimits: SignInLimits
  publicUrl(): string
  /** Whether a team of this installation gets the mail for an address: then links that are mailed there are withheld. */
  isReceivedHere(address: string): Promise<boolean>
}

const LinkBody = Type.Object({ email: Email })
export const TokenBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) })
export const PasskeyBody = Type.Object({ response: AuthenticationResponse })

/** The ways in for people: a passkey, a link by mail, an invitation for who is new. Each is limited by address, and none tells who is known. */
export function addSignIn(app: FastifyInstance, parts: SignInParts) {
  const { db, config, challenges, signInLimits, publicUrl } = parts
  const passkeys = { db, challenges, publicUrl }
  const knock = (request: FastifyRequest) => {
    requireOurPage(request, config)
    signInLimits.admitAttempt(request.ip)
  }

  app.get('/dashboard/sign-in', async (request) => {
    requireOurPage(request, config)
    const party = relyingParty(publicUrl())
    return {
      object: 'sign_in',
      passkeys: party && { origin: party.origin },
      // Nobody can read the mail then.
      is_link_logged: config.DELIVERY === 'inbox',
      providers: offeredProviders(config),
    }
  })
  app.post('/dashboard/sign-in/passkey/options', async (request) => {
    knock(request)
    return { options: await authenticationOptions(passkeys, { purpose: 'sign-in', session: null }) }
  })
  app.post('/dashboard/sign-in/passkey', async (request, reply) => {
    knock(request)
    const { response } = validate(PasskeyBody, request.body ?? {}, 'body')
    const proof = await verifyAuthentication(passkeys, { purpose: 'sign-in', session: null }, response)
    return enter(parts, request, reply, async (trx, origin) => {
      await spendProof(trx, proof)
      return signIn(trx, { userId: proof.userId, team: null, method: 'passkey', ...origin })
    })
  })
  // The same answer for everybody, and the same work: who has no account here gets no mail.
  app.post('/dashboard/sign-in/link', async (request) => {
    requireOurPage(request, config)
    const { email } = validate(LinkBody, request.body ?? {}, 'body')
    signInLimits.admitMail(request.ip, email)
    await db.transaction((trx) => enqueue(trx, mailLink, { email }))
    return { object: 'sign_in_link', email, is_received_here: await parts.isReceivedHere(email) }
  })
  app.post('/dashboard/sign-in', async (request, reply) => {
    knock(request)
    const { token } = validate(TokenBody, request.body ?? {}, 'body')
    return enter(parts, request, reply, (trx, origin) => signInByLink(trx, token, origin))
  })
  app.post('/dashboard/sign-in/invitation', async (request, reply) => {
    knock(request)
    const { token } = validate(TokenBody, request.body ?? {}, 'body')
    return enter(parts, request, reply, async (trx, origin) => {
      const { userId, team, email, role } = await acceptAsNewUser(trx, token, {
        isMailKept: config.DELIVERY === 'inbox',
      })
      const session = await signIn(trx, { userId, team, method: 'link', ...origin })
      await auditPerson(trx, userId, {
        action: 'invitations.accept',
        objectId: userId,
        details: { email, role },
        origin,
        team,
      })
      return session
    })
  })
}

export const originOf = ({ ip, headers }: FastifyRequest): Origin => ({
  ipAddress: ip,
  userAgent: headers['user-agent'] ?? null,
})

/** Opens a session, and ends the one that this browser had. */
export async function enter(
  { db, sessions }: Pick<SignInParts, 'db' | 'sessions'>,
  request: FastifyRequest,
  reply: FastifyReply,
  open: (trx: Transaction, origin: Origin) => Promise<string>,
) {
  const before = await sessions.require(request.headers, null).catch(() => null)
  const id = await db.transaction(async (trx) => {
    if (before?.identity.kind === 'user') await deleteUserSession(trx, before.identity.id, before.identity.session.id)
    return open(trx, originOf(request))
  })
  sessions.forget()
  reply.header('set-cookie', sessions.cookieFor(id))
  return { object: 'session' }
}
