import type { FastifyRequest } from 'fastify'
import { AuditedDatabase } from '../audit/audited-database.ts'
import type { AuditedRequest } from '../audit/record-request.ts'
import type { Database } from '../db/database.ts'
import { servicesOf } from '../db/team-services.ts'
import type { Access } from './access.ts'
import { type Actor, loggedActor } from './actor.ts'
import type { Endpoint } from './endpoint.ts'

/** The services as a request has them: the share of its team and, where the endpoint is audited, a database that writes down what it changes. */
export function requestServices<Services extends { readonly db: Database }>(
  services: Services,
  endpoint: Endpoint,
  request: FastifyRequest,
): Services {
  const actor = request.exchange.actor!
  const own = servicesOf(services, actor.team, 'requests')
  if (endpoint.isAudited)
    (own as { db: Database }).db = new AuditedDatabase(services.db, auditedRequest(endpoint, request, actor))
  return own
}

const auditedRequest = ({ id, access }: Endpoint, request: FastifyRequest, actor: Actor): AuditedRequest => ({
  id: request.exchange.id,
  team: actor.team,
  actor: loggedActor(actor),
  toldTo: AUDIT_TEAMS[access] ?? 'team',
  action: id,
  params: request.params as Record<string, string>,
  name: nameIn(request.body),
  ipAddress: request.ip,
  userAgent: request.headers['user-agent'] ?? null,
})

const nameIn = (body: unknown) =>
  typeof body === 'object' && body !== null && 'name' in body && typeof body.name === 'string'
    ? body.name.slice(0, 200)
    : null

/** Accounts are of no team, and operators act on teams that they need not be in. */
const AUDIT_TEAMS: { readonly [Of in Access]?: AuditedRequest['toldTo'] } = {
  person: 'teams of the person',
  operator: 'team in the path',
}
