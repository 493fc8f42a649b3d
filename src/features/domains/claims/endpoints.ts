import { whileThere } from '../../../kernel/http/client-gone.ts'
import { AlreadyThere } from '../../../kernel/http/endpoint.ts'
import { found } from '../../../kernel/http/problem.ts'
import { IdParams } from '../../../kernel/http/shapes.ts'
import { endpoint } from '../../definitions.ts'
import { ClaimDomain } from '../schema.ts'
import { claimDomain, startClaimVerification } from './actions.ts'
import { findClaim } from './queries.ts'
import { DomainClaim } from './schema.ts'

export const domainClaimEndpoints = [
  endpoint({
    id: 'domains.claims.create',
    route: 'POST /domains/claim',
    summary: 'Claim a domain',
    description: 'For a domain that another team has added.',
    status: 201,
    mayExist: true,
    body: ClaimDomain,
    reply: DomainClaim,
    async run({ body, raw, services, actor }) {
      const { claim, isNew } = await whileThere(raw.stream, (gone) => claimDomain(services, actor, body, gone))
      return isNew ? claim : new AlreadyThere(claim)
    },
  }),
  endpoint({
    id: 'domains.claims.get',
    route: 'GET /domains/:id/claim',
    summary: 'Retrieve a domain claim',
    params: IdParams,
    reply: DomainClaim,
    run: async ({ params, services, actor }) =>
      found(await findClaim(services.db, actor.team, params.id), 'Domain claim'),
  }),
  endpoint({
    id: 'domains.claims.verify',
    route: 'POST /domains/:id/claim/verify',
    summary: 'Verify a domain claim',
    description: 'Checks the DNS for the proof, and moves the domain if it is found.',
    params: IdParams,
    reply: DomainClaim,
    run: ({ params, services, actor }) => startClaimVerification(services, actor, params.id),
  }),
]
