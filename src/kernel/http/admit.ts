import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, keyOf, requirePermission } from './actor.ts'
import type { BodyTurns } from './body-turns.ts'
import type { Endpoint } from './endpoint.ts'
import { requestDatabase } from './request-database.ts'
import type { RequestTurns } from './request-turns.ts'
import { enterSandboxOf } from './sandbox-path.ts'
import type { ServerServices } from './server.ts'
import { refuseSuspended } from './suspension.ts'

export interface Admission {
  readonly endpoint: Endpoint
  readonly bodyTurns: BodyTurns
  readonly requestTurns: RequestTurns
  /** How clients of these routes say who they are. */
  identify(request: FastifyRequest): Promise<Actor>
}

/** Who is it, may they, and not too often: all of it before the body is read. */
export async function admit(
  services: ServerServices,
  { endpoint, bodyTurns, requestTurns, identify }: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { lastUsed, rateLimit, teamStates } = services
  const visitor = await identify(request)
  const turn = requestTurns.take(visitor.team)
  if (turn) await turn
  const key = keyOf(visitor)
  if (key !== null) lastUsed.note(visitor.team, key)
  const actor = await enterSandboxOf(request.raw, visitor, services)
  request.exchange.actor = actor
  request.exchange.db = await requestDatabase(services, endpoint, request)
  rateLimit.take(actor.team, (name, value) => reply.header(name, value))
  requirePermission(actor, endpoint.access)
  await refuseSuspended(teamStates, visitor, endpoint)
  // An upload is not kept in memory: it is written down piece by piece.
  if (!endpoint.upload) await bodyTurns.admit(actor.team, request, reply)
}
