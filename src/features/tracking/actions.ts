import type { Queryable } from '../../kernel/db/database.ts'
import type { Visitor } from '../../kernel/http/public-route.ts'
import type { NewEvent } from '../../kernel/outbox/record.ts'
import type { Clock } from '../../platform/clock.ts'
import { emailEventData } from '../emails/delivery/email.ts'
import { type LatestEvent, latestOf } from '../emails/delivery/ledger/last-events.ts'
import { type Trace, traceOf } from '../emails/delivery/message/tracking.ts'
import { type EmailWithRecipients, findWithRecipients } from '../emails/reads.ts'
import { judge } from './judge.ts'
import { insertVisits } from './queries.ts'

export interface Visit extends Trace {
  /** In real time. */
  readonly at: Date
  readonly visitor: Visitor
  /** Where a click leads to; null: the picture was loaded. */
  readonly target: string | null
}

/** A visit with what is known besides. */
export interface JudgedVisit extends Visit {
  /** How many different links of the mail were followed in the same moment. */
  readonly linksAtOnce: number
  /** Where it is known better than from the ledger. */
  readonly secondsSinceDelivery?: number
}

const MAX_USER_AGENT_LENGTH = 500

/** Writes down who opened and clicked, as far as the emails are still there. Whoever calls it announces `OUTBOX_CHANNEL`. */
export async function recordVisits(db: Queryable, visits: readonly JudgedVisit[]): Promise<void> {
  const emails = new Map((await findWithRecipients(db, visits)).map((email) => [email.id, email]))
  const known = visits.flatMap((visit) => {
    const email = emails.get(visit.email)
    const recipient = email?.recipients.find(({ address }) => traceOf(email.id, address) === visit.recipient)
    return email && recipient ? [outcomeOf(visit, email, recipient, db.clock)] : []
  })
  if (known.length === 0) return
  const events = known.map(({ event }) => event)
  await insertVisits(db, events, latestOf(known.flatMap(({ latest }) => latest ?? [])))
}

/** What follows from a visit: the event, and the status that it may give the email. */
function outcomeOf(
  { visitor, at, target, linksAtOnce, ...known }: JudgedVisit,
  email: EmailWithRecipients,
  { address, settledAt }: EmailWithRecipients['recipients'][number],
  clock: Clock,
): { event: NewEvent; latest: LatestEvent | null } {
  const kind = target === null ? 'open' : 'click'
  const own = clock.of(email.team).fromReal(at)
  const byLedger = settledAt === null ? null : (own.getTime() - Date.parse(settledAt)) / 1_000
  const secondsSinceDelivery = known.secondsSinceDelivery ?? byLedger
  const verdict = judge(visitor, { kind, secondsSinceDelivery, linksAtOnce })
  const details = {
    ipAddress: visitor.ipAddress,
    ...(target !== null && { link: target }),
    timestamp: own.toISOString(),
    userAgent: visitor.headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH) ?? null,
  }
  const { team, id } = email
  return {
    event: {
      team,
      type: kind === 'open' ? 'email.opened' : 'email.clicked',
      data: { ...emailEventData(email, [address]), [kind]: details, verdict },
      about: id,
    },
    latest: verdict.is_counted ? { team, id, event: kind === 'open' ? 'opened' : 'clicked' } : null,
  }
}
