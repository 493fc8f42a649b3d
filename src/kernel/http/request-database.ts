import type { FastifyRequest } from 'fastify'
import type { ActorDirectory } from '../audit/actor-directory.ts'
import type { AuditedRequest } from '../audit/record-request.ts'
import { RequestAudit } from '../audit/request-audit.ts'
import type { Database } from '../db/database.ts'
import type { Access } from './access.ts'
import { type Actor, loggedActor } from './actor.ts'
import type { Endpoint } from './endpoint.ts'

/** The database as a request has it: the share of its team and, where the endpoint is audited, with what writes down what it changes. */
export function requestDatabase(
  { db, actorDirectory }: { readonly db: Database; readonly actorDirectory: ActorDirectory },
  endpoint: Endpoint,
  request: FastifyRequest,
) {
  const actor = request.exchange.actor!
  const describe = () => ({ ...auditedRequest(endpoint, request, actor), directory: actorDirectory })
  return db.forTeam(actor.team, endpoint.isAudited ? { recorder: new RequestAudit(describe) } : undefined)
}

const auditedRequest = (
  { id, access }: Endpoint,
  request: FastifyRequest,
  actor: Actor,
): Omit<AuditedRequest, 'directory'> => ({
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
