import { inPieces } from '../../../kernel/http/long-answer.ts'
import { found } from '../../../kernel/http/problem.ts'
import { IdParams } from '../../../kernel/http/shapes.ts'
import { findKeyAnsweredWith } from '../../../kernel/idempotency/queries.ts'
import { endpoint } from '../../definitions.ts'
import type { EmailsServices } from '../services.ts'
import {
  findRequest,
  findTracedEmail,
  findTracedEvents,
  findTracedPosts,
  findTracedRecipients,
  MAX_EVENTS,
} from './queries.ts'
import { EmailTrace } from './schema.ts'
import { timelineOf } from './timeline.ts'

export const traceEndpoint = endpoint({
  id: 'emails.trace',
  access: 'content',
  route: 'GET /emails/:id/trace',
  summary: 'Retrieve the trace of an email',
  description:
    'Everything that is known about how an email went, in the order of time: the request, decisions, each delivery attempt with the mail servers and, where it was not taken, the dialogue, events, webhook posts, opens and clicks.',
  params: IdParams,
  reply: EmailTrace,
  run: async ({ params, services, actor }) => inPieces(found(await traceOf(services, actor.team, params.id), 'Email')),
})

/** Before and after the email was made: a request that takes long has its key before. */
const KEY_BEFORE_MS = 15_000
const KEY_AFTER_MS = 2_000

async function traceOf({ db }: EmailsServices, team: string, id: string): Promise<EmailTrace | undefined> {
  const key = { team, id }
  const email = await findTracedEmail(db, key)
  if (!email) return undefined
  const madeMs = email.createdAt.getTime()
  const [recipients, found, request, idempotencyKey] = await Promise.all([
    findTracedRecipients(db, key),
    findTracedEvents(db, key),
    findRequest(db, key, email.createdAt),
    findKeyAnsweredWith(db, key, { from: new Date(madeMs - KEY_BEFORE_MS), to: new Date(madeMs + KEY_AFTER_MS) }),
  ])
  const events = found.slice(0, MAX_EVENTS)
  const posts = await findTracedPosts(db, team, events)
  return {
    object: 'email_trace',
    id,
    idempotency_key: idempotencyKey,
    recipients: recipients.map(({ recipient, state, attempts, destination, route, nextAttemptAt }) => ({
      recipient,
      state,
      attempts,
      destination,
      route,
      next_attempt_at: nextAttemptAt?.toISOString() ?? null,
    })),
    timeline: timelineOf({ email, request, recipients, events, posts }),
    is_complete: found.length <= MAX_EVENTS,
  }
}
