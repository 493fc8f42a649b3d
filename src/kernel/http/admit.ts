import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../platform/concurrency/maybe-promise.ts'
import { type Actor, keyOf, requirePermission } from './actor.ts'
import type { BodyTurns } from './body-turns.ts'
import type { Endpoint } from './endpoint.ts'
import { requestDatabase } from './request-database.ts'
import type { RequestTurns } from './request-turns.ts'
import { enterSandboxOf } from './sandbox-path.ts'
import type { ServerServices } from './server.ts'
import { refuseMoving, refuseSuspended } from './suspension.ts'

export interface Admission {
  readonly endpoint: Endpoint
  readonly bodyTurns: BodyTurns
  readonly requestTurns: RequestTurns
  /** How clients of these routes say who they are. */
  identify(request: FastifyRequest): MaybePromise<Actor>
}

/** Who is it, may they, and not too often: all of it before the body is read. As a rule nothing of it has to be waited for. */
export async function admit(
  services: ServerServices,
  { endpoint, bodyTurns, requestTurns, identify }: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { lastUsed, rateLimit, teamStates } = services
  const identified = identify(request)
  const visitor = identified instanceof Promise ? await identified : identified
  // Before its key is noted as used: nothing is written for a team that changes cells.
  refuseMoving(teamStates, visitor.team)
  const turn = requestTurns.take(visitor.team)
  if (turn) await turn
  const key = keyOf(visitor)
  if (key !== null) lastUsed.note(visitor.team, key)
  const entered = enterSandboxOf(request.raw, visitor, services)
  const actor = entered instanceof Promise ? await entered : entered
  request.exchange.actor = actor
  const db = requestDatabase(services, endpoint, request)
  request.exchange.db = db instanceof Promise ? await db : db
  rateLimit.take(actor.team, (name, value) => reply.header(name, value))
  requirePermission(actor, endpoint.access)
  if (!teamStates.isLoaded) await teamStates.load()
  refuseSuspended(teamStates, visitor, endpoint)
  // An upload is not kept in memory: it is written down piece by piece.
  const bodyTurn = endpoint.upload ? null : bodyTurns.admit(actor.team, request, reply)
  if (bodyTurn) await bodyTurn
}
