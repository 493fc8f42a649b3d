import type { FastifyInstance } from 'fastify'
import { describeInvitation, noInvitation } from '../../features/people/invitations.ts'
import type { Database } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { validate } from '../../kernel/http/validate.ts'
import { clientOf } from '../../platform/client-address.ts'
import { TokenBuckets } from '../../platform/concurrency/token-buckets.ts'
import type { Config } from '../../platform/settings/config.ts'
import { requireOurPage } from './same-origin.ts'
import { TokenBody } from './sign-in.ts'

const MINUTE_MS = 60_000

/**
 * What an invitation is to, for whoever has its token and is perhaps not signed in. Looking does not use it up, and is a POST: the token is
 * in no address that a log or a Referer could keep.
 */
export function addInvitation(app: FastifyInstance, { db, config }: { db: Database; config: Config }) {
  const looks = new TokenBuckets({ limit: 60, periodMs: MINUTE_MS })
  app.post('/dashboard/invitation', async (request) => {
    requireOurPage(request, config)
    if (!looks.take(clientOf(request.ip)))
      throw new Problem('rate_limit_exceeded', 'Too many requests. Try again in a minute.')
    const { token } = validate(TokenBody, request.body ?? {}, 'body')
    const invitation = await describeInvitation(db, token)
    if (!invitation) throw noInvitation()
    const { team, role, email, invitedBy, hasAccount } = invitation
    return { object: 'invitation', team: team.name, role, email, invited_by: invitedBy, has_account: hasAccount }
  })
}
