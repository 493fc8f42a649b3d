import type { Static } from 'typebox'
import { Problem } from '../../../kernel/http/problem.ts'
import { isId } from '../../../platform/ids.ts'
import { QUEUE_STATES, type QueueState, readTag } from '../../emails/delivery/queue/queue-filter.ts'
import { listWaiting, type QueueCursor, type WaitingDelivery } from '../../emails/delivery/queue/queue-list.ts'
import { findStops } from '../../emails/delivery/transport/stop-store.ts'
import type { OperatorServices } from '../services.ts'
import { whileQuick } from './change-queue.ts'
import type { WaitingMail, WaitingQuery } from './schema.ts'

const PAGE = 20

/** A page of what waits, state by state. */
export async function waitingMail(
  { db }: OperatorServices,
  { destination, domain, team, from, tag, after }: Static<typeof WaitingQuery>,
): Promise<Static<typeof WaitingMail>> {
  const filter = {
    ...(destination !== undefined && { destination }),
    ...(domain !== undefined && { domain }),
    ...(team !== undefined && { team }),
    ...(from !== undefined && { from }),
    ...(tag !== undefined && { tag: readTag(tag) }),
  }
  const cursor = after === undefined ? null : cursorOf(after)
  const { deliveries, hasMore } = await whileQuick(listWaiting(db, filter, { limit: PAGE, after: cursor }))
  const last = deliveries.at(-1)
  const isParked = deliveries.some(({ state }) => state === 'parked')
  const stops = new Map((isParked ? await findStops(db) : []).map((stop) => [stop.destination, stop.stoppedUntil]))
  return {
    object: 'waiting_mail',
    next: hasMore && last ? textOf(last) : null,
    data: deliveries.map((one) => shown(one, stops)),
  }
}

function shown(one: WaitingDelivery, stops: ReadonlyMap<string, Date>): Static<typeof WaitingMail>['data'][number] {
  // Whoever writes these is the ledger, which keeps more than the type says.
  const reply = one.lastReply as { at: string; reply: string; class?: string; rule?: string } | null
  return {
    ...{ id: `${one.emailId}_${one.position}`, state: one.state, team_id: one.teamId, team: one.team },
    ...{ email_id: one.emailId, recipient: one.recipient, subject: one.subject, attempts: one.attempts },
    // What is parked is due when it would be given up: it is tried as soon as its destination takes mail.
    due_at: one.state === 'parked' ? (stops.get(one.parkedFor ?? '')?.toISOString() ?? null) : isoOf(one.dueAt),
    give_up_at: isoOf(one.giveUpAt),
    last_reply: reply && { at: reply.at, reply: reply.reply, class: reply.class ?? null, rule: reply.rule ?? null },
  }
}

const textOf = ({ state, priority, dueAt, teamId, emailId, position }: QueueCursor) =>
  [state, priority, dueAt, teamId, emailId, position].join('_')

function cursorOf(text: string): QueueCursor {
  const [state, priority, dueAt = '', teamId = '', emailId = '', position] = text.split('_')
  const isCursor =
    QUEUE_STATES.includes(state as QueueState) &&
    ['0', '1'].includes(priority!) &&
    !Number.isNaN(Date.parse(dueAt)) &&
    isId(teamId) &&
    isId(emailId) &&
    /^\d{1,4}$/.test(position ?? '')
  if (!isCursor) throw new Problem('invalid_parameter', 'Invalid `after` parameter. It is no cursor of this list.')
  return { state: state as QueueState, priority: Number(priority), dueAt, teamId, emailId, position: Number(position) }
}

/** The ledger's has more digits. */
const isoOf = (moment: string) => new Date(moment).toISOString()
