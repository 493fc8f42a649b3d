import type { Destination } from '../../../../adapters/smtp-client/destination.ts'
import type { Outcome, Untried } from '../../../../mail/outcome.ts'
import { causedBy, type Span, type Tracing } from '../../../../platform/observability/tracing.ts'
import type { Decided } from '../deliver.ts'
import type { LoadedEmail } from '../ledger/load.ts'
import type { Claimed } from '../ledger/queries.ts'

// Of recipients a trace has positions and counts: whom an email is for is nobody's business who looks at traces.

/** The span of an attempt, from claimed to settled. Null: the email is not traced. */
export function beginDelivery(
  tracing: Tracing,
  email: LoadedEmail,
  { rows, now }: { rows: readonly Claimed[]; now: Date },
): Span | null {
  const { traceContext, broadcastId, createdAt, team, id } = email
  if (!traceContext) return null
  // A copy has a trace of its own, or that of a broadcast would be as long as its audience.
  const cause = broadcastId ? { link: traceContext } : causedBy(traceContext, now.getTime() - createdAt.getTime())
  return tracing.begin('email.deliver', {
    kind: 'consumer',
    ...cause,
    attributes: {
      'postwren.team.id': team,
      'postwren.email.id': id,
      'postwren.broadcast.id': broadcastId ?? undefined,
      'postwren.recipient.count': rows.length,
      'postwren.attempt': Math.max(...rows.map(({ attempts }) => attempts)),
    },
  })
}

/** What became of some of its recipients. */
export function noteVerdicts(span: Span, decided: readonly Decided[]) {
  for (const { row, verdict } of decided)
    span.event('recipient', {
      'postwren.recipient.position': row.position,
      'postwren.outcome': verdict.kind,
      'smtp.response.code': 'reply' in verdict ? codeOf(verdict.reply) : undefined,
      'postwren.reply.class': 'class' in verdict ? verdict.class : undefined,
      'server.address': 'host' in verdict ? verdict.host : undefined,
    })
}

/** The span of one conversation with a mail server, in that of the attempt. */
export function beginConversation(
  tracing: Tracing,
  span: Span,
  { destination, recipients }: { destination: Destination; recipients: readonly string[] },
): Span | null {
  return tracing.begin('smtp.send', {
    kind: 'client',
    parent: span.context,
    attributes: { 'postwren.destination': destination.name, 'postwren.recipient.count': recipients.length },
  })
}

export function endConversation(span: Span, outcomes: readonly (Outcome | Untried)[]) {
  const [first] = outcomes
  if (first && first.kind !== 'postponed')
    span.set({ 'server.address': first.host, 'smtp.response.code': codeOf(first.reply) })
  span.set({ 'postwren.outcome': [...new Set(outcomes.map(({ kind }) => kind))].join(',') })
  const isWell = outcomes.every(({ kind }) => kind === 'delivered')
  span.end(isWell ? undefined : (outcomes.find(({ kind }) => kind !== 'delivered')!.kind as string))
}

function codeOf(reply: string): number | undefined {
  const code = Number.parseInt(reply, 10)
  return code >= 200 && code <= 599 ? code : undefined
}
