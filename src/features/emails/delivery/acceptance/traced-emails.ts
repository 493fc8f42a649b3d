import type { Span, TraceContext, Tracing } from '../../../../platform/observability/tracing.ts'
import type { Email } from '../email.ts'

type Traced = { traceContext?: TraceContext }

/** Emails that a span accepts: what becomes of them belongs to its trace. Written into those that are there, as in `acceptedEmail`. */
export function traceEmails(emails: readonly Email[], { context }: Span) {
  for (const email of emails) (email as Traced).traceContext = context
}

/** The span of accepting emails, until they are durable. Null: whoever submits them is not traced. */
export function beginAccepting(tracing: Tracing, emails: readonly Email[]): Span | null {
  const parent = tracing.active?.context
  const [first] = emails
  if (!parent || !first) return null
  const span = tracing.begin('email.accept', {
    parent,
    attributes: {
      'postwren.team.id': first.team,
      'postwren.email.count': emails.length,
      ...(emails.length === 1 && { 'postwren.email.id': first.id }),
    },
  })
  if (span) traceEmails(emails, span)
  return span
}

/** A broadcast has thousands of copies in a second, which all look alike: so many of them have a trace in each process. */
const TRACED_COPIES_PER_SECOND = 10

let second = 0
let tracedInSecond = 0

/** Of copies that are made in this moment a few: each has a trace of its own, with a link to the broadcast's. True: there are some. */
export function traceSomeCopies(copies: readonly Email[], span: Span): boolean {
  const now = Math.floor(performance.now() / 1_000)
  if (now !== second) {
    second = now
    tracedInSecond = 0
  }
  const chosen = copies.slice(0, TRACED_COPIES_PER_SECOND - tracedInSecond)
  tracedInSecond += chosen.length
  traceEmails(chosen, span)
  return chosen.length > 0
}
