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

/** With the time for which an answer about a key is trusted (`auth.ts`), a second: within that everybody notices that a key has changed. */
const FRESH_MS = 200

/** Whether who it was may be somebody else by now. */
export const isLate = ({ exchange: { startedAt } }: FastifyRequest) => performance.now() - startedAt > FRESH_MS

/**
 * Who it is, and may they, once more before the answer when the body took its time: whoever keeps one open must not keep the rights that they had at its first byte. It
 * is the same request, so it is not counted again. Who takes an upload reads the body in the answer, and asks when it has (`RawBody`).
 */
export const answerAdmitted =
  (services: ServerServices, admission: Admission, answer: Answer): Answer =>
  (request, reply) =>
    isLate(request)
      ? admitAgain(services, admission, request).then(() => answer(request, reply))
      : answer(request, reply)

type Answer = (request: FastifyRequest, reply: FastifyReply) => unknown

export async function admitAgain(services: ServerServices, { endpoint, identify }: Admission, request: FastifyRequest) {
  const visitor = await identify(request)
  const actor = await enterSandboxOf(request.raw, visitor, services)
  request.exchange.actor = actor
  request.exchange.db = await requestDatabase(services, endpoint, request)
  requirePermission(actor, endpoint.access)
  refuseSuspended(services.teamStates, visitor, endpoint)
}
