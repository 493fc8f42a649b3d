import type { Static } from 'typebox'
import { annotateAudit } from '../../../kernel/audit/annotations.ts'
import type { AuditActor } from '../../../kernel/audit/record.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { type Actor, loggedActor, requireFresh } from '../../../kernel/http/actor.ts'
import { readMoment } from '../../../kernel/http/moment.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { isCanceled } from '../../../platform/database-errors.ts'
import { cancelWaiting } from '../../emails/delivery/queue/queue.ts'
import { bounceWaiting } from '../../emails/delivery/queue/queue-bounce.ts'
import type { QueueChange, QueueChanged } from '../../emails/delivery/queue/queue-changes.ts'
import { type QueueFilter, readTag } from '../../emails/delivery/queue/queue-filter.ts'
import { moveWaiting, retryDeferred } from '../../emails/delivery/queue/queue-retry.ts'
import { logTeamOf } from '../own-team.ts'
import { liftPausesIn } from '../pauses.ts'
import { auditingTeams } from '../queue-audit.ts'
import type { OperatorServices } from '../services.ts'
import { requireRoute } from './routes.ts'
import type { MoveMail, QueueChangeReply, SteerMail } from './schema.ts'

// What operators do to mail that waits, as `postwren queue` does on the machine.

/** A request waits so long. What is left then is left to the next one: every slice has committed. */
const MAX_REQUEST_MS = 20_000

type Act = (db: Database, change: QueueChange & { readonly reason: string }) => Promise<QueueChanged>

export const ACTS = {
  retry: retryDeferred,
  cancel: cancelWaiting,
  bounce: bounceWaiting,
} as const satisfies Record<string, Act>

/** Does something to the mail that the body names, slice by slice; each team's log says how much of its mail it was. */
export const changeQueue = (name: keyof typeof ACTS) => (steered: QueueRequest) => {
  if (name !== 'retry') requireFresh(steered.actor, steered.services.clock.now())
  return steer(name, steered, ACTS[name])
}

/** Sends it another way, whatever the rules say, or as they say again. */
export const moveQueue = (steered: QueueRequest<Static<typeof MoveMail>>) => {
  const { route } = steered.body
  if (route !== null) requireRoute(steered.services.config, route)
  return steer('move', steered, (db, change) => moveWaiting(db, { ...change, route }))
}

async function steer(
  name: string,
  { body, services, actor }: QueueRequest,
  act: Act,
): Promise<Static<typeof QueueChangeReply>> {
  const { reason, ...named } = body
  const filter = filterOf(named)
  const by = { ...loggedActor(actor), name: actor.name ?? null }
  await begin(services, actor, { by, name, filter, named, reason })
  const record = auditingTeams(by, `queue.${name}`, { ...named, reason })
  const signal = AbortSignal.timeout(MAX_REQUEST_MS)
  const done = await whileQuick(act(services.db, { filter, reason, record, signal }))
  return {
    object: 'queue_change',
    recipients: done.recipients,
    in_flight: done.inFlight,
    is_complete: !done.isStopped,
  }
}

interface QueueRequest<Body = Static<typeof SteerMail>> {
  readonly body: Body
  readonly services: OperatorServices
  readonly actor: Actor
}

interface AuditedChange {
  readonly by: AuditActor
  readonly name: string
  readonly filter: QueueFilter
  readonly named: object
  readonly reason: string
}

/** That it was asked for is in the operator's own log, whatever it comes to. Whoever retries expects another answer of a destination. */
const begin = (services: OperatorServices, actor: Actor, { by, name, filter, named, reason }: AuditedChange) =>
  services.db.transaction(async (trx) => {
    annotateAudit(trx, { team: await logTeamOf(trx, services, actor), details: { ...named, reason } })
    if (name === 'retry' && filter.destination !== undefined)
      await liftPausesIn(trx, by, { filter: { destination: filter.destination }, reason })
  })

/** Without any filter everything would be meant: nobody says that by leaving something out. */
function filterOf({ states, tag, due_before, ...named }: Omit<Static<typeof SteerMail>, 'reason'>): QueueFilter {
  const { destination, domain, team, from, email } = named
  const given = {
    ...{ destination, domain, team, from, email, states },
    tag: tag === undefined ? undefined : readTag(tag),
    dueBefore: due_before === undefined ? undefined : readMoment('due_before', due_before),
  }
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null))
  if (Object.keys(filter).length === 0)
    throw new Problem('validation_error', 'Name the mail: a destination, domain, team, sender, tag, state or email.')
  return filter
}

/** A statement of the queue that took too long is nobody's defect: a narrower one is quicker. */
export async function whileQuick<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!isCanceled(error)) throw error
    throw new Problem('validation_error', 'Query timed out; narrow it or retry.')
  }
}
