import type { DialogueSign } from '../../../adapters/smtp-client/conversation.ts'
import { withoutDirectionMarks } from '../../../mail/ascii.ts'
import { type KeptAttempt, readSession, readVia } from '../delivery/outcomes/attempt-kept.ts'
import type { KeptReply, TracedEmail, TracedEvent, TracedPost, TracedRecipient } from './queries.ts'
import type { TraceAttempt, TraceEntry, TraceRequest } from './schema.ts'

/** All that is known about an email. */
export interface Traced {
  readonly email: TracedEmail
  readonly request: (TraceRequest & { readonly at: Date }) | null
  readonly recipients: readonly TracedRecipient[]
  readonly events: readonly TracedEvent[]
  readonly posts: readonly TracedPost[]
}

const NOTHING = { recipients: [], request: null, attempt: null, webhook: null, event: null }

/** What happened to an email, from all that keeps a part of it, the oldest first. */
export function timelineOf({ email, request, recipients, events, posts }: Traced): TraceEntry[] {
  const entries: TraceEntry[] = [
    ...(request ? [requestEntry(request)] : []),
    { ...NOTHING, at: iso(email.createdAt), kind: 'accepted', summary: 'Accepted' },
    ...(email.scheduledAt
      ? [
          {
            ...NOTHING,
            at: iso(email.createdAt),
            kind: 'scheduled' as const,
            summary: `Scheduled for ${iso(email.scheduledAt)}`,
          },
        ]
      : []),
    ...recipients.flatMap(attemptEntries),
    ...events.map(eventEntry),
    ...posts.map(postEntry),
  ]
  const sorted = entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : rankOf(a) - rankOf(b)))
  return [...sorted, ...recipients.flatMap(presentEntries)]
}

/** Of what has the same time the cause comes first. */
const RANKS = ['request', 'accepted', 'scheduled', 'begun', 'attempt', 'event', 'webhook'] as const
const BEGUN = ['email.queued', 'email.scheduled', 'email.sent']

const rankOf = ({ kind, event }: TraceEntry): number =>
  (RANKS as readonly string[]).indexOf(event && BEGUN.includes(event.type) ? 'begun' : kind)

function requestEntry({ at, ...request }: NonNullable<Traced['request']>): TraceEntry {
  const summary = `${request.method} ${request.endpoint} answered ${request.response_status}`
  return { ...NOTHING, at: iso(at), kind: 'request', summary, request }
}

function attemptEntries({ recipient, state, replies, conversations }: TracedRecipient): TraceEntry[] {
  return replies.map((reply, index) => {
    const isLast = index === replies.length - 1
    const outcome = isLast && state !== 'waiting' ? state : 'deferred'
    const kept = conversations?.find(({ at }) => at === reply.at)
    const attempt = attemptOf(reply, { outcome, kept })
    const server = attempt.host === null ? '' : ` by ${attempt.host}`
    const summary = `${OUTCOMES[outcome]}${server}: ${attempt.reply}`
    return { ...NOTHING, at: reply.at, kind: 'attempt', recipients: [recipient], summary, attempt }
  })
}

const OUTCOMES: Readonly<Record<TraceAttempt['outcome'], string>> = {
  delivered: 'Taken',
  deferred: 'Deferred',
  bounced: 'Bounced',
  suppressed: 'Suppressed',
  failed: 'Failed',
  canceled: 'Canceled',
}

function attemptOf(
  reply: KeptReply,
  { outcome, kept: untaken }: { outcome: TraceAttempt['outcome']; kept: KeptAttempt | undefined },
): TraceAttempt {
  const via = reply.via === undefined ? null : readVia(reply.via)
  const session = reply.session === undefined ? null : readSession(reply.session)
  const kept: Partial<KeptAttempt> | null = untaken ?? session
  return {
    attempt: kept?.attempt ?? null,
    outcome,
    reply: withoutDirectionMarks(reply.reply),
    class: (reply.class as TraceAttempt['class'] | undefined) ?? null,
    rule: reply.rule ?? null,
    about: (reply.about as TraceAttempt['about'] | undefined) ?? null,
    means: (reply.means as TraceAttempt['means'] | undefined) ?? null,
    route: kept?.route ?? null,
    destination: kept?.destination ?? null,
    servers: [...(kept?.servers ?? [])],
    host: kept?.host ?? via?.host ?? null,
    address: kept?.address ?? null,
    source: kept?.source ?? null,
    helo: kept?.helo ?? null,
    tls: kept?.tls ?? via?.tls ?? null,
    tls_policy: (kept?.tls_policy as TraceAttempt['tls_policy'] | undefined) ?? null,
    duration_ms: kept?.ms ?? via?.ms ?? null,
    connected_ms: kept?.connected_ms ?? null,
    sent_ms: kept?.sent_ms ?? null,
    dialogue: kept?.dialogue ? dialogueOf(kept.dialogue) : [],
  }
}

const SPEAKERS: Readonly<Record<DialogueSign, TraceAttempt['dialogue'][number]['from']>> = {
  '>': 'client',
  '<': 'server',
  '*': 'note',
}
const LINE = /^(?:(\d+) )?([<>*]) (.*)$/

function dialogueOf(text: string): TraceAttempt['dialogue'] {
  return text.split('\n').flatMap((line) => {
    const [, ms, sign, said = ''] = LINE.exec(line) ?? []
    if (sign === undefined) return []
    return [{ ms: ms === undefined ? null : Number(ms), from: SPEAKERS[sign as DialogueSign], text: said }]
  })
}

function eventEntry({ type, at, data }: TracedEvent): TraceEntry {
  return {
    ...NOTHING,
    at: iso(at),
    kind: 'event',
    recipients: [...(data.to ?? [])],
    summary: type,
    event: { type, data },
  }
}

function postEntry({ at, webhookId, endpoint, event, statusCode, error, durationMs }: TracedPost): TraceEntry {
  const answer = statusCode === null ? (error ?? 'no answer') : `answered ${statusCode}`
  return {
    ...NOTHING,
    at: iso(at),
    kind: 'webhook',
    summary: `${event} posted: ${answer}`,
    webhook: {
      webhook_id: webhookId,
      endpoint,
      event,
      http_status_code: statusCode,
      error,
      duration_ms: durationMs,
    },
  }
}

/** Where a recipient is now, and what it waits for. */
function presentEntries({
  recipient,
  state,
  isInFlight,
  heldSince,
  waitsForApproval,
  nextAttemptAt,
  parkedFor,
}: TracedRecipient): TraceEntry[] {
  const about = { ...NOTHING, recipients: [recipient] }
  if (state !== 'waiting' || isInFlight) return []
  if (heldSince) {
    const summary = waitsForApproval ? 'Waiting for approval' : 'Held by the operator of the service'
    return [{ ...about, at: iso(heldSince), kind: 'held', summary }]
  }
  if (!nextAttemptAt) return []
  const summary = parkedFor === null ? 'Next attempt' : `Waiting for a free connection to ${parkedFor}`
  return [{ ...about, at: iso(nextAttemptAt), kind: 'waiting', summary }]
}

const iso = (moment: Date) => moment.toISOString()
