import type { FastifyInstance } from 'fastify'
import { confirmByMail, type InvitationMailServices } from '../../features/people/invitation-mail.ts'
import { describeInvitation, noInvitation } from '../../features/people/invitations.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { clientOf } from '../../platform/client-address.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import { requireOurPage } from './same-origin.ts'
import { TokenBody } from './sign-in.ts'

const MINUTE_MS = 60_000

/**
 * What an invitation is to, for whoever has its token and is perhaps not signed in. Looking does not use it up, and is a POST: the token is
 * in no address that a log or a Referer could keep.
 */
export function addInvitation(app: FastifyInstance, services: InvitationMailServices) {
  const { db, config } = services
  const looks = new TokenBuckets({ limit: 60, periodMs: MINUTE_MS })
  app.post('/dashboard/invitation', async (request) => {
    requireOurPage(request, config)
    if (!looks.take(clientOf(request.ip)))
      throw new Problem('rate_limit_exceeded', 'Too many requests. Try again in a minute.')
    const { token } = validate(TokenBody, request.body ?? {}, 'body')
    const invitation = await describeInvitation(db, token)
    if (!invitation) throw noInvitation()
    const { team, role, email, invitedBy, hasAccount, isMailed } = invitation
    return {
      object: 'invitation',
      ...{ team: team.name, role, email, invited_by: invitedBy, has_account: hasAccount },
      needs_confirmation: !hasAccount && !isMailed && config.DELIVERY !== 'inbox',
    }
  })
  // For who is new and has a copied link: limited as invitations are, by address and by who invites.
  app.post('/dashboard/invitation/email', async (request) => {
    requireOurPage(request, config)
    if (!looks.take(clientOf(request.ip)))
      throw new Problem('rate_limit_exceeded', 'Too many requests. Try again in a minute.')
    const { token } = validate(TokenBody, request.body ?? {}, 'body')
    await confirmByMail(services, token)
    return { object: 'invitation' }
  })
}
